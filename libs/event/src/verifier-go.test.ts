// Guarantee: the verifier of packages/sdk-go, which shares no line with this package, agrees with it on any
// event, and finds every kind of change. It runs with the outages, where Go can build it.

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anyChain, hostileTexts, TAMPERED, textOf, VECTORS } from "./testing/chains.ts";

const SDK = join(import.meta.dirname, "../../../packages/sdk-go");
/** No other toolchain is fetched, and no workspace around the checkout counts. */
const GO = { cwd: SDK, env: { ...process.env, GOTOOLCHAIN: "local", GOWORK: "off" } };

const run = promisify(execFile);

/** One that is too old does not read go.mod. */
const hasGo = await run("go", ["list", "."], GO).then(
  () => true,
  () => false,
);

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annals-chain-"));
  program = join(folder, "annals-verify");
  if (hasGo) await run("go", ["build", "-o", program, "./cmd/annals-verify"], GO);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Answer {
  readonly status: number | null;
  readonly text: string;
}

function verify(text: string, ...previous: readonly string[]): Answer {
  const file = join(folder, "events.jsonl");
  writeFileSync(file, text);
  const { status, stderr, stdout } = spawnSync(program, [file, ...previous], { encoding: "utf8" });
  return { status, text: `${stdout}${stderr}`.trim() };
}

test.runIf(hasGo)("it agrees on the vectors", () => {
  expect(verify(textOf(VECTORS))).toEqual({ status: 0, text: "valid: 5 events" });
});

test.runIf(hasGo)("it agrees on a chain of any values, and every text of a double", () => {
  const lines = anyChain();
  expect(verify(textOf(lines))).toEqual({ status: 0, text: `valid: ${lines.length} events` });
});

test.runIf(hasGo).each(TAMPERED)("it finds %s", (_, tamper, reason) => {
  const answer = verify(textOf(tamper(structuredClone([...VECTORS]))));
  expect(answer).toEqual({ status: 1, text: expect.stringContaining(reason) });
});

test.runIf(hasGo)(
  "it refuses a member that comes twice, NaN, and a number that no double keeps",
  () => {
    const all = hostileTexts().map((text) => verify(text));
    expect(all.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(all[4]?.text).toContain("line 3: follows the manifest");
    expect(all[5]?.text).toContain("line 1: not an event");
  },
);

test.runIf(hasGo)("it checks a range against the hash that is known before it", () => {
  const range = textOf(VECTORS.slice(2));
  expect(verify(range, VECTORS[1]?.event.hash ?? "").text).toBe("valid: 3 events");
  expect(verify(range, "f".repeat(64)).text).toContain("3: link_mismatch");
});
