// Guarantee: a verifier that shares no line with this package, in another language, agrees with it on any
// event, and finds every kind of change. It runs where python3 is on the path.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anyChain, hostileTexts, TAMPERED, textOf, VECTORS } from "./testing/chains.ts";

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

  test("agrees on the vectors", () => {
    expect(verify(VECTORS)).toEqual({ status: 0, text: "valid: 5 events" });
  });

  test("agrees on a chain of any values, and every text of a double", () => {
    const lines = anyChain();
    expect(lines.length).toBeGreaterThan(400);
    expect(verify(lines)).toEqual({ status: 0, text: `valid: ${lines.length} events` });
  });

  describe("finds", () => {
    let answers: readonly Answer[];
    beforeAll(() => {
      const texts = TAMPERED.map(([, tamper]) => textOf(tamper(structuredClone([...VECTORS]))));
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
    const all = verifyEach(hostileTexts().map((text) => [text]));
    expect(all.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(all[4]?.text).toContain("line 3: follows the manifest");
    expect(all[5]?.text).toContain("line 1: not an event");
  });

  test("checks a range against the hash that is known before it", () => {
    const range = textOf(VECTORS.slice(2));
    const [known, other] = verifyEach([
      [range, VECTORS[1]?.event.hash ?? ""],
      [range, "f".repeat(64)],
    ]);
    expect(known?.text).toBe("valid: 3 events");
    expect(other?.text).toContain("3: link_mismatch");
  });
});
