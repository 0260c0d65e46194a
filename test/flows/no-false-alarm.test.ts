// What was not changed is never called changed: thousands of events of any JSON and any time verify, and
// a verifier that shares no code with the product agrees (docs/hash-chain.md).

import { newClient } from "@annals/testing";
import fc from "fast-check";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, inject, test } from "vitest";
import { hasPython } from "../system/programs.ts";

const account = await newClient(inject("stack"));
const { client } = account;
const EVENTS = inject("form").noFalseAlarm.events;
const BATCH = 1_000;
/** Batches in flight at one time. */
const CONCURRENCY = 4;
/** Read back with their proofs. */
const PROVED = Math.min(4_000, EVENTS);
const PAGE = 100;

afterAll(() => client.close());

/** Any text that can be stored: all but U+0000 and halves of surrogate pairs. */
const text = (maxLength: number) =>
  fc
    .string({ unit: "binary", maxLength })
    .map((value) => value.toWellFormed().replaceAll("\0", "␀"));
const name = fc.oneof(
  text(6),
  fc.constantFrom("__proto__", "constructor", "", "10", "9", "-1", "toJSON", "é", "e\u0301"),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 0.1 + 0.2, 2 ** 53),
);
const { value: json } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    text(12),
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
}));
const object = fc.dictionary(name, json, { maxKeys: 3, noNullPrototype: true });

const id = text(20).map((value) => value || "x");
const two = (value: number) => String(value).padStart(2, "0");
const time = fc
  .tuple(
    fc.oneof(fc.constantFrom(0, 1, 1582, 1600, 1900, 1969, 1970, 2000, 9998, 9999), fc.nat(9999)),
    fc.constantFrom("01-01", "02-28", "12-31", "03-01", "06-30"),
    ...([fc.nat(23), fc.nat(59), fc.nat(59)] as const),
    fc.oneof(
      fc.constant(""),
      fc.nat(999_999_999).map((fraction) => `.${fraction}`),
    ),
    fc.constantFrom("Z", "z", "+00:00", "-00:00", "+14:00", "-12:00", "+05:45", "-0330", "+23"),
  )
  .map(([year, day, hour, minute, second, fraction, offset]) => {
    // The ends of the calendar leave no room for an offset.
    const zone = year === 0 || year === 9999 ? "Z" : offset;
    return `${String(year).padStart(4, "0")}-${day}T${two(hour)}:${two(minute)}:${two(second)}${fraction}${zone}`;
  });

const event = fc.record(
  {
    action: id,
    actor: fc.record({ id, type: id, meta: object }, { requiredKeys: [] }),
    target: fc.record({ id, type: id, meta: object }, { requiredKeys: [] }),
    context: object,
    diff: fc.record({ before: object, after: object }, { requiredKeys: [] }),
    metadata: object,
    occurred_at: time,
  },
  { requiredKeys: ["action"] },
);

async function appendAll(): Promise<void> {
  const seed = Number.parseInt(account.accountId.slice(-6).replaceAll(/[^0-9a-f]/g, "0"), 16);
  let batch = 0;
  const write = async () => {
    while (batch < EVENTS / BATCH) {
      batch += 1;
      const events = fc.sample(event, { numRuns: BATCH, seed: seed + batch });
      const { status, body } = await client.post("/v1/events/batch", { events });
      expect(status, `batch ${batch} of seed ${seed}: ${body?.error?.message}`).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, write));
}

/** One `{"event":…,"proof":…}` a line: what the verifier reads. */
async function provedEvents(): Promise<string[]> {
  const lines: string[] = [];
  let after = 0;
  while (lines.length < PROVED) {
    const { body } = await client.get(
      `/v1/events?order=asc&limit=${PAGE}&include=proof&after_sequence=${after}`,
    );
    for (const [index, each] of body.data.entries()) {
      lines.push(JSON.stringify({ event: each, proof: body.proofs[index] }));
    }
    after += PAGE;
  }
  return lines;
}

test(`${EVENTS} generated events verify`, async () => {
  await appendAll();
  const { status, body } = await client.get("/v1/verify");
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ valid: true, checked: EVENTS, first_invalid: null });
}, 300_000);

test("and the verifier in Python, which shares no code, agrees on some thousands of them", async () => {
  const run = promisify(execFile);
  const lines = await provedEvents();
  expect(lines).toHaveLength(PROVED);
  // Nothing to agree where there is no Python; the proofs were read all the same.
  if (!hasPython) return;
  const directory = await mkdtemp(join(tmpdir(), "annals-verifier-"));
  try {
    const file = join(directory, "events.jsonl");
    const verifier = join(
      import.meta.dirname,
      "../../packages/sdk-python/src/annals_sdk/verify.py",
    );
    await writeFile(file, `${lines.join("\n")}\n`);
    const { stdout } = await run("python3", [verifier, file]);
    expect(stdout).toContain(`valid: ${PROVED} events`);
    // It does look: a changed value is found at its place.
    const changed = lines.with(1_234, (lines[1_234] ?? "").replace('"action":"', '"action":"x'));
    await writeFile(file, `${changed.join("\n")}\n`);
    await expect(run("python3", [verifier, file])).rejects.toThrow("sequence number 1235");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
