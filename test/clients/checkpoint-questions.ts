// Checkpoints, each change of one, and why the SDK for TypeScript does not accept it: what the SDKs in other
// languages must answer, too. Used by go-checkpoints.test.ts and python-checkpoints.test.ts.

import { CheckpointError, verifyCheckpoint } from "@annals/sdk";
import { cosign, noteText, parseNote, parseVkey } from "@annals/tlog";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { expect } from "vitest";

interface Question {
  readonly note: string;
  readonly trusted: string;
  readonly account?: string;
}

const FOLDER = new URL("../vectors/evidence/", import.meta.url);
const vectors = JSON.parse(readFileSync(new URL("note.json", FOLDER), "utf8")) as {
  readonly keys: Readonly<Record<string, { readonly vkey: string; readonly seed: string }>>;
  readonly policy: string;
  readonly valid: readonly { readonly note: string }[];
  readonly invalid: readonly { readonly note: string }[];
};
const mlDsa = JSON.parse(readFileSync(new URL("cosignature-mldsa.json", FOLDER), "utf8")) as {
  readonly note_text: string;
  readonly vkey: string;
  readonly valid: string;
};

const { policy } = vectors;
const LOG = vectors.keys["log"]?.vkey ?? "";
const UNSEEN = policy.replace(/^quorum.*/m, "quorum none");
const ACCOUNT = "acct_29a6a5e3c39862766d20";
const notes = [...vectors.valid, ...vectors.invalid].map(({ note }) => note);
const [alone = "", , witnessed = ""] = notes;

function given(): Question[] {
  const trusted = [LOG, ` ${LOG}\n`, policy, UNSEEN, policy.replace("any2 2", "any2 3")];
  const accounts = [{}, { account: ACCOUNT }, { account: "acct_1" }, { account: "no name" }];
  return notes.flatMap((note) =>
    trusted.flatMap((each) => accounts.map((account) => ({ note, trusted: each, ...account }))),
  );
}

/** Cosignatures with a time that is none, and of a kind that counts for nothing. */
function cosigned(): Question[] {
  const { signatures, text } = parseNote(alone);
  const { name } = parseVkey(vectors.keys["w1"]?.vkey ?? "");
  const seed = Buffer.from(vectors.keys["w1"]?.seed ?? "", "hex");
  const trusted = `log ${LOG}\nwitness w1 ${vectors.keys["w1"]?.vkey}\nquorum w1\n`;
  const timed = [0, 1, 8_640_000_000_000, 9_000_000_000_000].map((time) => {
    const all = [...signatures, cosign(name, seed, text, time)];
    return { note: noteText({ text, signatures: all }), trusted };
  });
  const note = `${mlDsa.note_text}\n${mlDsa.valid.trim()}\n`;
  return [...timed, { note, trusted: `log ${LOG}\nwitness pq ${mlDsa.vkey}\nquorum none\n` }];
}

const OTHERS = ["A", "1", "+", "/", "=", " ", "\t", "\n", "\r", "\u0000", "\u00a0", "\ufeff", "é"];

/** One character is another. */
function changed(): Question[] {
  const character = fc.constantFrom(...OTHERS);
  const isOfPolicy = fc.boolean();
  const change = fc.tuple(fc.nat(1_000_000), character, isOfPolicy);
  return fc.sample(change, { numRuns: 1_000, seed: 1 }).map(([place, put, inPolicy]) => {
    const text = inPolicy ? policy : witnessed;
    const at = place % text.length;
    const other = text.slice(0, at) + put + text.slice(at + 1);
    return { note: witnessed, trusted: UNSEEN, [inPolicy ? "trusted" : "note"]: other };
  });
}

async function inTypeScript({ account, note, trusted }: Question): Promise<string> {
  try {
    await verifyCheckpoint(note, trusted, account === undefined ? {} : { account });
    return "accepted";
  } catch (error) {
    return error instanceof CheckpointError ? error.reason : "unusable";
  }
}

/** Compares the answers of a program, which reads and writes lines of JSON. */
export async function expectSameAnswers(answer: (input: string) => string): Promise<void> {
  const questions = [...given(), ...cosigned(), ...changed()];
  const answers = answer(questions.map((question) => JSON.stringify(question)).join("\n"));
  const found = answers
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as string);
  const expected: string[] = [];
  for (const question of questions) expected.push(await inTypeScript(question));
  const answered = (each: readonly string[]) =>
    questions.map((question, at) => ({ ...question, answer: each[at] }));
  expect(answered(found)).toEqual(answered(expected));
  const reasons = ["malformed", "quorum_missing", "signature_invalid", "signature_missing"];
  expect([...new Set(expected)].toSorted()).toEqual(["accepted", ...reasons, "unusable"]);
}
