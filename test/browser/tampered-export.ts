// Files that are no longer exports, or never were, for the test of the check in the browser.

/** What was done to the file, the file then, and how the check names it. */
export function tampered(file: string): (readonly [name: string, file: string, fault: string])[] {
  const lines = file.split("\n");
  const without = (from: number, to: number) =>
    [...lines.slice(0, from), ...lines.slice(to)].join("\n");
  const replaced = (text: string, by: string) =>
    lines.with(41, (lines[41] ?? "").replace(text, by)).join("\n");
  return [
    [
      "another context",
      replaced('"context":{}', '"context":{"a":1}'),
      "Line 42: sequence number 42: digest_mismatch in context",
    ],
    [
      "another action",
      replaced('"action":"a.b"', '"action":"a.c"'),
      "Line 42: sequence number 42: hash_mismatch",
    ],
    ["an event less", without(41, 42), "Line 42: sequence_gap: sequence number 42 is missing"],
    ["no first event", without(0, 1), "Line 1: sequence_gap: sequence number 1 is missing"],
    ["no last event", without(99, 100), "the file holds 99 events, event_count is 100"],
    ["no manifest", without(100, 101), "Line 101: the manifest is missing: the end was cut off"],
    [
      "cut within a line",
      file.slice(0, file.length / 2),
      "Line 51: the end was cut off: is not JSON",
    ],
    [
      "another manifest",
      file.replace('"event_count":100', '"event_count":101'),
      "Line 101: manifest_mismatch: it was changed",
    ],
    ["an event twice", `${lines[0]}\n${file}`, "Line 2: sequence number 1: appears twice"],
    ["another first byte", file.replace("{", " {"), "Line 1: is not the header of an export"],
    ["a picture", "\u0089PNG\r\n\u001A\n\0\0\0\rIHDR", "Line 1: is not the header of an export"],
    ["other JSON", '{"name":"annals"}\n', "Line 1: is not an event with its proof"],
    ["nothing", "", "Line 1: the file is empty"],
  ];
}
