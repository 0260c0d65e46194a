// Chains of events with their proofs, made with this package, and what is wrong with others. Used by the
// tests of the verifiers that share no line with it.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { type Part, PARTS } from "../event-members.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { GENESIS_HASH, SALT_BYTES } from "../leaf-text.ts";
import { leafHash, leafText, partDigest } from "../leaf.ts";
import { type ProvenEvent as Line, readVectors } from "./vectors.ts";

export const textOf = (lines: readonly unknown[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** The vectors as lines of an export. */
export const VECTORS: readonly Line[] = readVectors().map(({ event, proof }) => ({ event, proof }));

/** A chain of any values, and of every text of a double. */
export function anyChain(): Line[] {
  const part = fc.dictionary(
    fc.string({ unit: "binary" }),
    fc.jsonValue({ stringUnit: "binary" }),
    { maxKeys: 5 },
  );
  const doubles = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 20,
    maxLength: 20,
  });
  const event = fc.record({
    action: fc.string({ unit: "binary", minLength: 1 }),
    parts: fc.tuple(part, part, part, part, part),
    doubles,
  });
  const lines: Line[] = [];
  for (const { action, parts, doubles: numbers } of fc.sample(event, {
    numRuns: 500,
    seed: 8785,
  })) {
    const objects = [{ ...parts[0], numbers }, ...parts.slice(1)] as JsonObject[];
    // The service stores no U+0000, and a verifier refuses it.
    if (JSON.stringify([action, objects]).includes(String.raw`\u0000`)) continue;
    lines.push(nextLine(lines, action, objects));
  }
  return lines;
}

/** What is wrong with lines, and what a verifier says of it. */
export const TAMPERED: readonly [
  name: string,
  tamper: (lines: Line[]) => Line[],
  reason: string,
][] = [
  [
    "a value",
    (lines) => change(lines, 2, (line) => (line.event.diff["after"] = {})),
    "3: digest_mismatch in diff",
  ],
  [
    "a member",
    (lines) => change(lines, 2, (line) => (line.event.action = "x")),
    "3: hash_mismatch",
  ],
  [
    "a time",
    (lines) => change(lines, 1, (line) => (line.event.created_at = "2026-01-01T00:00:00.000001Z")),
    "2: hash_mismatch",
  ],
  [
    "the chain",
    (lines) => change(lines, 0, (line) => (line.proof.chain = "acct_x")),
    "1: hash_mismatch",
  ],
  [
    "a member that no event has",
    (lines) => change(lines, 1, ({ event }) => Object.assign(event, { approved_by: "auditor" })),
    "line 2: the event does not have exactly",
  ],
  [
    "a member beside the event",
    (lines) => change(lines, 1, (line) => Object.assign(line, { approved_by: "auditor" })),
    "line 2: the line does not have exactly",
  ],
  [
    "a member that no proof has",
    (lines) => change(lines, 1, ({ proof }) => Object.assign(proof, { approved_by: "auditor" })),
    "line 2: the proof does not have exactly",
  ],
  [
    "a time that is none",
    (lines) => change(lines, 1, (line) => (line.event.created_at = "2026-13-01T00:00:00.000000Z")),
    "line 2: created_at is not",
  ],
  [
    "an id that is none",
    (lines) => change(lines, 1, (line) => (line.event.id = "evt_1\u001B[2K")),
    "line 2: id is not",
  ],
  [
    "a salt in capitals",
    (lines) =>
      change(lines, 1, ({ proof }) => (proof.salts.actor = proof.salts.actor.toUpperCase())),
    "line 2: salts of actor is not",
  ],
  [
    "a digest's digit in another",
    (lines) =>
      change(lines, 1, ({ proof: { digests } }) => {
        digests.actor += digests.context.slice(0, 1);
        digests.context = digests.context.slice(1);
      }),
    "line 2: digests of actor is not",
  ],
  ["a missing event", (lines) => lines.toSpliced(2, 1), "4: sequence_gap"],
  ["a repeated event", (lines) => lines.toSpliced(2, 0, lines[1] as Line), "2: sequence_gap"],
  ["two events swapped", (lines) => [1, 3, 2].map((n) => lines[n - 1] as Line), "3: sequence_gap"],
  ["a forged event", (lines) => [lines[0] as Line, nextLine([], "x", [], 2)], "2: link_mismatch"],
  ["a forged first event", () => [nextLine([], "x", [], 1, "f".repeat(64))], "1: link_mismatch"],
  ["no event", () => [], "no events"],
];

/** Texts that are not what they seem: a member twice, NaN, a number that no double keeps, more lines. */
export function hostileTexts(): string[] {
  const line = JSON.stringify(VECTORS[0]);
  const metadata = JSON.stringify(VECTORS[0]?.event.metadata);
  const forged = ['{"a":1,"a":2}', '{"a":NaN}', '{"a":9007199254740993}', '{"a":"\\u0000"}'];
  const texts = forged.map((each) => line.replace(metadata, each));
  const behind = `${line}\n{"manifest":{},"manifest_sha256":""}\n${line}`;
  return [...texts, behind, "[".repeat(100_000)];
}

function change(lines: Line[], index: number, edit: (line: Line) => unknown): Line[] {
  edit(lines[index] as Line);
  return lines;
}

/** An event that follows the last of `lines`, made with this package. */
function nextLine(
  lines: readonly Line[],
  action: string,
  objects: readonly JsonObject[],
  sequenceNumber = lines.length + 1,
  previousHash = lines.at(-1)?.event.hash ?? GENESIS_HASH,
): Line {
  const time = "2026-01-01T00:00:00.000000Z";
  const parts = PARTS.map((part, index) => [part, objects[index] ?? {}] as const);
  const salts = PARTS.map((part) => salt(`${sequenceNumber}${part}`));
  const digests = parts.map(([, part], index) =>
    partDigest(salts[index] as Buffer, canonicalJson(part)),
  );
  const leaf = {
    action,
    chain: "acct_vectors",
    createdAt: time,
    digests: Buffer.concat(digests),
    id: `evt_${sequenceNumber}`,
    occurredAt: time,
    previousHash,
    receivedAt: time,
    sequenceNumber,
  };
  const event = {
    ...(Object.fromEntries(parts) as Record<Part, JsonObject>),
    action,
    created_at: time,
    hash: leafHash(leafText(leaf)),
    id: leaf.id,
    occurred_at: time,
    previous_hash: previousHash,
    received_at: time,
    sequence_number: sequenceNumber,
  };
  return {
    event,
    proof: { v: 1, chain: leaf.chain, salts: byPart(salts), digests: byPart(digests) },
  };
}

function byPart(buffers: readonly Buffer[]): Record<Part, string> {
  const entries = PARTS.map((part, index): [string, JsonValue] => [
    part,
    buffers[index]?.toString("hex") ?? "",
  ]);
  return Object.fromEntries(entries) as Record<Part, string>;
}

/** Repeatable salts: a failing chain must fail again. */
function salt(seed: string): Buffer {
  return createHash("sha256").update(seed).digest().subarray(0, SALT_BYTES);
}
