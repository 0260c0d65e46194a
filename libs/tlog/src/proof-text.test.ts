// Guarantee: the text of a proof reads back as it was written, and no other text is accepted for one.

import { expect, test } from "vitest";
import { parseNote } from "./text/note.ts";
import { parseProofText, proofText } from "./proof-text.ts";
import { vector } from "./testing/vectors.ts";

const { valid } = vector<{ readonly valid: readonly { readonly note: string }[] }>("note.json");
const note = valid[2]?.note ?? "";
const proof = {
  extra: Buffer.from("extra"),
  index: 4,
  hashes: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
  checkpoint: parseNote(note),
};

test("a proof with and without extra data, and one without hashes", () => {
  const text = proofText(proof);
  expect(text.startsWith("c2sp.org/tlog-proof@v1\nextra ZXh0cmE=\nindex 4\nAQEB")).toBe(true);
  expect(text.endsWith(`\n\n${note}`)).toBe(true);
  expect(parseProofText(text)).toEqual(proof);
  const bare = { ...proof, extra: undefined, hashes: [] };
  expect(parseProofText(proofText(bare))).toEqual(bare);
});

test.each([
  ["another version", (text: string) => text.replace("@v1", "@v2")],
  ["no index", (text: string) => text.replace("index 4\n", "")],
  ["an index with a leading zero", (text: string) => text.replace("index 4", "index 04")],
  [
    "extra data behind the index",
    (text: string) => text.replace(/(extra .*\n)(index 4\n)/, "$2$1"),
  ],
  ["a short hash", (text: string) => text.replace("AQEB", "")],
  ["65 hashes", (text: string) => text.replace(/(AQEB.*\n)/, "$1".repeat(64))],
  ["no blank line", (text: string) => text.replaceAll("\n\n", "\n")],
  ["a malformed checkpoint", (text: string) => text.slice(0, -1)],
])("%s is refused", (_, change) => {
  expect(() => parseProofText(change(proofText(proof)))).toThrow(/is not a proof|a note/);
});
