// Files that are no export any more, for the test of the check in the browser.

/** What may be wrong with a file, and how the check names it. */
export function tampered(file: string): (readonly [changed: string, fault: string])[] {
  const lines = file.split("\n");
  const without = (from: number, to: number) =>
    [...lines.slice(0, from), ...lines.slice(to)].join("\n");
  const replaced = (text: string, by: string) =>
    lines.with(41, (lines[41] ?? "").replace(text, by)).join("\n");
  return [
    [
      replaced('"context":{}', '"context":{"a":1}'),
      "Line 42: sequence number 42: digest_mismatch in context",
    ],
    [replaced('"action":"a.b"', '"action":"a.c"'), "Line 42: sequence number 42: hash_mismatch"],
    [without(41, 42), "Line 42: sequence_gap: sequence number 42 is missing"],
    [without(0, 1), "Line 1: sequence_gap: sequence number 1 is missing"],
    [without(99, 100), "the file holds 99 events, the manifest says 100"],
    [without(100, 101), "The manifest is missing"],
    [file.replace('"event_count":100', '"event_count":101'), "the manifest was changed"],
    [`${lines[0]}\n${file}`, "Line 2: sequence number 1: out of order"],
    [file.replace("{", " {"), "The file is not JSON Lines"],
  ];
}
