// Guarantee: of the changes of a bundle, in every file and made to pass the check of its list of files where
// that is possible, annals-verify accepts none, and names each by a reason. The changes have a fixed seed. In
// the fault suite there are 500.

import { EvidenceFault } from "annals-verify";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { type Files, relisted, vectorFiles, verifyBundle, withFile } from "./made-bundle.ts";

const FULL = vectorFiles("full");
const SEED = 20261125;

/** Nothing vouches for these two by themselves: their changes are found by the list of files alone. */
const UNLISTED = ["policy", "bundle.json"];

/**
 * What a verifier must ignore, and may not refuse a change of: the signature of a key that the policy does
 * not have; when the bundle was made; white space in JSON; the filter, which the result names.
 */
const IGNORED: Readonly<Record<string, RegExp>> = {
  "heads.jsonl": /— log\.example\.com\/vectors MOHey.*?\\n/g,
  "bundle.json": /"created_at": "[^"]*"|"filter": \{\}|(?<=[,{}]|^)\s+|(?<=":)\s+|\s+(?=\})/g,
};

type Change = (bytes: Buffer, at: number, by: number) => Buffer;

const CHANGES: Readonly<Record<string, Change>> = {
  flip: (bytes, at, by) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ by;
    return copy;
  },
  remove: (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
  insert: (bytes, at, by) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from([by]), bytes.subarray(at)]),
  cut: (bytes, at) => bytes.subarray(0, at),
  swap: (bytes, at) => {
    const copy = Buffer.from(bytes);
    const other = (at + 97) % bytes.length;
    [copy[at], copy[other]] = [copy[other] ?? 0, copy[at] ?? 0];
    return copy;
  },
};

const isIgnored = (name: string, bytes: Buffer, at: number): boolean =>
  [...bytes.toString("latin1").matchAll(latin1(IGNORED[name]))].some(
    ({ 0: text, index }) => at >= index && at <= index + text.length,
  );

/** The pattern over bytes. */
function latin1(pattern = /(?!)/g): RegExp {
  return new RegExp(Buffer.from(pattern.source).toString("latin1"), "g");
}

const mutation = fc
  .record({
    name: fc.constantFrom(...FULL.keys()),
    change: fc.constantFrom(...Object.keys(CHANGES)),
    at: fc.nat(),
    by: fc.integer({ min: 1, max: 255 }),
  })
  .map(({ at, by, change, name }) => {
    const bytes = FULL.get(name) ?? Buffer.alloc(0);
    const place = at % bytes.length;
    const files = withFile(FULL, name, CHANGES[change]?.(bytes, place, by) ?? bytes);
    return { name, change, place, by, bytes, files };
  })
  .filter(
    ({ bytes, files, name, place }) =>
      !isIgnored(name, bytes, place) &&
      !isIgnored(name, bytes, (place + 97) % bytes.length) &&
      files.get(name)?.equals(bytes) === false,
  );

type Verify = (files: Files) => Promise<unknown>;

async function reasonOf(verify: Verify, files: Files): Promise<string> {
  try {
    await verify(files);
    return "accepted";
  } catch (error) {
    if (error instanceof EvidenceFault) return error.reason;
    throw error;
  }
}

/** The reasons of each file. Rejects at the first change that is accepted. */
async function mutate(verify: Verify): Promise<Map<string, Set<string>>> {
  const seen = new Map<string, Set<string>>();
  await fc.assert(
    fc.asyncProperty(mutation, async ({ files, name }) => {
      const reason = await reasonOf(verify, UNLISTED.includes(name) ? files : relisted(files));
      seen.set(name, (seen.get(name) ?? new Set()).add(reason));
      expect(reason).not.toBe("accepted");
    }),
    { numRuns: inject("form").evidence.changes, seed: SEED, endOnFailure: true },
  );
  return seen;
}

test("changes over every file, of which none is accepted", async () => {
  const seen = await mutate(verifyBundle);
  expect([...seen.keys()].toSorted()).toEqual([...FULL.keys()].toSorted());
  const reasons = new Set([...seen.values()].flatMap((each) => [...each]));
  expect(reasons.size).toBeGreaterThanOrEqual(inject("form").evidence.reasons);
});

test("control: a verifier that accepts everything fails the same run", async () =>
  expect(mutate(async () => {})).rejects.toThrow("Property failed after 1 tests"));

test("the bundle itself is accepted, so that a refusal is one of the change", async () => {
  expect(await reasonOf(verifyBundle, relisted(FULL))).toBe("accepted");
});
