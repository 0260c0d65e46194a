// Guarantee: signed notes, keys and cosignatures are byte for byte those of the worked examples; a note is
// accepted exactly if known keys signed this text; no change of one byte of a signed note is accepted.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkpointText } from "./text/checkpoint.ts";
import { MAX_NOTE_SIGNATURES, noteText, parseNote } from "./text/note.ts";
import { cosign, noteSigner } from "./sign-note.ts";
import { TlogError } from "./text/tlog-error.ts";
import { fromHex, vector } from "./testing/vectors.ts";
import { KEY_TYPE, type VerifierKey, vkeyOf } from "./text/vkey.ts";
import { accountKey, keyOf, parseCheckpoint, parseVkey, verifyNote } from "./with-node.ts";

interface Key {
  readonly seed: string;
  readonly public: string;
  readonly name: string;
  readonly type: number;
  readonly key_id: string;
  readonly vkey: string;
}

const vectors = vector<{
  readonly keys: Readonly<Record<string, Key>>;
  readonly account_vkey: string;
  readonly valid: readonly {
    readonly note: string;
    readonly by: readonly string[];
    readonly times?: Readonly<Record<string, number>>;
  }[];
  readonly invalid: readonly { readonly note: string; readonly why: string }[];
}>("note.json");

const mlDsa = vector<{
  readonly note_text: string;
  readonly time: number;
  readonly vkey: string;
  readonly valid: string;
  readonly invalid: readonly {
    readonly why: string;
    readonly line: string;
    readonly vkey?: string;
  }[];
}>("cosignature-mldsa.json");

const known: Readonly<Record<string, VerifierKey>> = {
  ...Object.fromEntries(
    Object.entries(vectors.keys).map(([id, { vkey }]) => [id, parseVkey(vkey)]),
  ),
  account: parseVkey(vectors.account_vkey),
};
const KEYS = Object.values(known);
const LOG = known["log"] as VerifierKey;
const [first] = vectors.valid;
const witnessed = vectors.valid[2]?.note ?? "";

const seedOf = (id: string) => Buffer.from(vectors.keys[id]?.seed ?? "", "hex");
const check = (note: string, keys = KEYS) => verifyNote(parseNote(note), keys);
const reasonOf = (attempt: () => unknown): unknown => {
  try {
    attempt();
  } catch (error) {
    return (error as { reason?: unknown }).reason;
  }
  return "accepted";
};

describe("keys", () => {
  test.each(Object.entries(vectors.keys))("%s", (_, key) => {
    const [publicKey = Buffer.alloc(0)] = fromHex([key.public]);
    expect(vkeyOf(keyOf(key.name, key.type, publicKey))).toBe(key.vkey);
    expect(parseVkey(key.vkey)).toMatchObject({ name: key.name, type: key.type, id: key.key_id });
  });

  test("an account's key is the log's under the account's origin", () => {
    expect(vkeyOf(accountKey(LOG, "acct_29a6a5e3c39862766d20"))).toBe(vectors.account_vkey);
  });

  test.each([
    ["another id", (vkey: string) => vkey.replace("8327e096", "8327e097")],
    ["another name", (vkey: string) => `x${vkey}`],
    ["a name with a space", (vkey: string) => vkey.replace("log.", "log ")],
    ["no name", (vkey: string) => vkey.slice(vkey.indexOf("+"))],
    ["a key that is too short", (vkey: string) => vkey.slice(0, -4)],
    ["another padding", (vkey: string) => `${vkey}=`],
    ["a line feed", (vkey: string) => `${vkey}\n`],
    ["a type that is unknown", (vkey: string) => vkey.replace("+AdX", "+AtX")],
  ])("%s is refused", (_, change) => {
    expect(reasonOf(() => parseVkey(change(vectors.keys["log"]?.vkey ?? "")))).toBe(
      "vkey_malformed",
    );
  });
});

describe("notes", () => {
  test.each(vectors.valid)("a valid note, by $by", ({ note, by, times }) => {
    const { signed } = check(note);
    expect(signed.map(({ key }) => key)).toEqual(by.map((id) => known[id]));
    for (const [id, time] of Object.entries(times ?? {}))
      expect(signed.find(({ key }) => key === known[id])?.time).toBe(time);
    expect(noteText(parseNote(note))).toBe(note);
    const { text } = parseNote(note);
    expect(checkpointText(parseCheckpoint(text))).toBe(text);
  });

  test.each(vectors.invalid)("refused: $why", ({ note }) => {
    expect(reasonOf(() => check(note))).toMatch(/^(?:signature_|note_)/);
  });

  test("signing gives the notes of the vectors", () => {
    for (const { note, by, times } of vectors.valid) {
      const { signatures, text } = parseNote(note);
      for (const [at, id] of by.entries()) {
        const { name = "", type } = known[id] ?? {};
        const seed = seedOf(id === "account" ? "log" : id);
        const made =
          type === KEY_TYPE.ed25519
            ? noteSigner(name, seed).sign(text)
            : cosign(name, seed, text, times?.[id] ?? 0);
        expect(made).toEqual(signatures[at]);
      }
    }
  });

  test("a change of any byte of a note is not accepted for what it was", () => {
    const bytes = Buffer.from(witnessed);
    const isAsBefore = (text: string): boolean => {
      try {
        return check(text).signed.length === 3;
      } catch (error) {
        if (error instanceof TlogError) return false;
        throw error;
      }
    };
    expect(isAsBefore(witnessed)).toBe(true);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ by;
        expect(isAsBefore(changed.toString("utf8"))).toBe(false);
      }),
    );
  });

  test("malformed notes are refused, and so is one of more signatures than allowed", () => {
    const { note = "" } = first ?? {};
    const [line = ""] = note.match(/^— .*$/m) ?? [];
    const many = `${note}${`${line}\n`.repeat(MAX_NOTE_SIGNATURES)}`;
    const wrong = [
      "",
      "\n\n",
      note.slice(0, -1),
      note.replace("\n\n", "\n"),
      `${note}\n`,
      note.replace("— ", "- "),
      note.replace("12\n", "12\r\n"),
      note.replace("log.", "log.\u0000"),
      note.replace("\n\n— ", "\n\n— \ud800"),
      note.replace(/[^ ]*\n$/, "AAAAAA==\n").replace("AAAAAA==", "AAAA"),
      many,
      `${"a".repeat(300_000)}${note}`,
    ];
    for (const text of wrong) expect(reasonOf(() => parseNote(text))).toBe("note_malformed");
  });

  test.each([
    ["an extension line", "o\n1\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJQ=\nx\n"],
    ["a leading zero", "o\n01\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJQ=\n"],
    ["a size beyond 2^53", "o\n9007199254740992\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJQ=\n"],
    ["a short root", "o\n1\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnA==\n"],
    ["another base64 of the root", "o\n1\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJR=\n"],
    ["no origin", "\n1\nRbdxxxsOKTMWTlvW285UAG0X8UrUHZi81ya97ZWfnJQ=\n"],
  ])("a checkpoint with %s is refused", (_, text) => {
    expect(reasonOf(() => parseCheckpoint(text))).toBe("checkpoint_malformed");
  });
});

describe("cosignatures with ML-DSA-44", () => {
  const noteWith = (line: string) => `${mlDsa.note_text}\n${line}`.replace(/\n?$/, "\n");

  test("the valid one has its time", () => {
    const { signed } = check(noteWith(mlDsa.valid), [parseVkey(mlDsa.vkey)]);
    expect(signed.map(({ time }) => time)).toEqual([mlDsa.time]);
  });

  test.each(mlDsa.invalid)("counts for nothing: $why", ({ line, vkey, why }) => {
    const keys = [parseVkey(vkey ?? mlDsa.vkey), LOG];
    const reason = reasonOf(() => check(noteWith(line), keys));
    expect(reason).toBe(why.startsWith("time 0") ? "signature_missing" : "signature_invalid");
  });

  test("one without a time is named, and the note stays good by the log's own signature", () => {
    const untimed = mlDsa.invalid.find(({ why }) => why.startsWith("time 0"));
    const signature = noteSigner(LOG.name, seedOf("log")).sign(mlDsa.note_text);
    const note = `${noteText({ text: mlDsa.note_text, signatures: [signature] })}${untimed?.line ?? ""}\n`;
    const { signed, uncounted } = check(note.replace(/\n+$/, "\n"), [parseVkey(mlDsa.vkey), LOG]);
    expect(signed.map(({ key }) => key)).toEqual([LOG]);
    expect(uncounted.map(({ why }) => why)).toEqual(["untimed"]);
  });
});
