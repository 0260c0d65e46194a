// Guarantee: a verifier that shares no line with this package, in another language, agrees with it on any
// event, and finds every kind of change. It runs where python3 is on the path.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson } from "./json/canonical-json.ts";
import type { JsonObject, JsonValue } from "./json/json-value.ts";
import { partDigest, leafHash, leafText } from "./leaf.ts";
import { GENESIS_HASH, SALT_BYTES } from "./leaf-text.ts";
import { type Part, PARTS } from "./event-members.ts";
import { type ProvenEvent as Line, readVectors } from "./testing/vectors.ts";

const root = fileURLToPath(new URL("../../../test/", import.meta.url));
const VERIFY = "../../packages/sdk-python/src/annals_sdk/verify.py";
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.runIf(hasPython)("verify.py", () => {
  const directory = mkdtempSync(join(tmpdir(), "annals-chain-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  interface Answer {
    readonly status: number | null;
    readonly text: string;
  }

  const textOf = (lines: readonly unknown[]) =>
    lines.map((line) => `${JSON.stringify(line)}\n`).join("");

  function written(text: string): string {
    const file = join(directory, `events-${(files += 1)}.jsonl`);
    writeFileSync(file, text);
    return file;
  }
  let files = 0;

  function run(script: string, parameters: readonly string[], input = "") {
    return spawnSync("python3", [join(root, "verifiers", script), ...parameters], {
      encoding: "utf8",
      input,
    });
  }

  /** Runs it as a person does. */
  function verify(lines: readonly unknown[]): Answer {
    const { status, stderr, stdout } = run(VERIFY, [written(textOf(lines))]);
    return { status, text: `${stdout}${stderr}`.trim() };
  }

  /** The answers for several texts, some with the hash before them, in one process. */
  function verifyEach(asked: readonly (readonly [text: string, previous?: string])[]): Answer[] {
    const lines = asked.map(([text, ...previous]) =>
      JSON.stringify({ script: VERIFY, parameters: [written(text), ...previous] }),
    );
    const { stdout } = run("in_turn.py", [], lines.map((line) => `${line}\n`).join(""));
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  const vectors = readVectors().map(({ event, proof }) => ({ event, proof }));

  test("agrees on the vectors", () => {
    expect(verify(vectors)).toEqual({ status: 0, text: "valid: 5 events" });
  });

  test("agrees on a chain of any values, and every text of a double", () => {
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
    expect(lines.length).toBeGreaterThan(400);
    expect(verify(lines)).toEqual({ status: 0, text: `valid: ${lines.length} events` });
  });

  const TAMPERED: readonly [name: string, tamper: (lines: Line[]) => Line[], reason: string][] = [
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
      (lines) =>
        change(lines, 1, (line) => (line.event.created_at = "2026-01-01T00:00:00.000001Z")),
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
      (lines) =>
        change(lines, 1, (line) => (line.event.created_at = "2026-13-01T00:00:00.000000Z")),
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
    [
      "two events swapped",
      (lines) => [1, 3, 2].map((n) => lines[n - 1] as Line),
      "3: sequence_gap",
    ],
    ["a forged event", (lines) => [lines[0] as Line, nextLine([], "x", [], 2)], "2: link_mismatch"],
    ["a forged first event", () => [nextLine([], "x", [], 1, "f".repeat(64))], "1: link_mismatch"],
    ["no event", () => [], "no events"],
  ];

  describe("finds", () => {
    let answers: readonly Answer[];
    beforeAll(() => {
      const texts = TAMPERED.map(([, tamper]) => textOf(tamper(structuredClone(vectors))));
      answers = verifyEach(texts.map((text) => [text]));
    });

    test.each(TAMPERED.map(([name, , reason], at) => [name, at, reason] as const))(
      "%s",
      (_, at, reason) => {
        expect(answers[at]).toEqual({ status: 1, text: expect.stringContaining(reason) });
      },
    );
  });

  test("refuses a member that comes twice, NaN, and a number that no double keeps", () => {
    const line = JSON.stringify(vectors[0]);
    const metadata = JSON.stringify(vectors[0]?.event.metadata);
    const forged = ['{"a":1,"a":2}', '{"a":NaN}', '{"a":9007199254740993}', '{"a":"\\u0000"}'];
    const texts = forged.map((each) => line.replace(metadata, each));
    const behind = `${line}\n{"manifest":{},"manifest_sha256":""}\n${line}`;
    const all = verifyEach([...texts, behind, "[".repeat(100_000)].map((text) => [text]));
    expect(all.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(all[4]?.text).toContain("line 3: follows the manifest");
    expect(all[5]?.text).toContain("line 1: not an event");
  });

  test("checks a range against the hash that is known before it", () => {
    const range = textOf(vectors.slice(2));
    const [known, other] = verifyEach([
      [range, vectors[1]?.event.hash ?? ""],
      [range, "f".repeat(64)],
    ]);
    expect(known?.text).toBe("valid: 3 events");
    expect(other?.text).toContain("3: link_mismatch");
  });
});

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
