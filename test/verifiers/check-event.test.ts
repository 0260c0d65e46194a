// Guarantee: checkEvent finds an event verified exactly if libs/event does, finds a change of any member and
// names the part, and takes a part as hidden only where its value is not shown.

import { checkLeaf, leafHash, leafText, partDigest, proofJson, canonicalJson } from "@annals/event";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkEvent, type Part, PARTS, type Proof, type ProvableEvent } from "@annals/proof";

interface Line {
  event: ProvableEvent;
  proof: Proof;
}

const vectors = JSON.parse(
  readFileSync(new URL("../vectors/hash-v1.json", import.meta.url), "utf8"),
) as Line[];

const VERIFIED = {
  state: "verified",
  parts: Object.fromEntries(PARTS.map((part) => [part, "verified"])),
  hash: "verified",
};

const TIME = "2026-01-01T00:00:00.000000Z";

const withProof = ({ event, proof }: Line) => ({ ...event, proof });
const whole = () => structuredClone(withProof(vectors[0] as Line));

test.each(vectors.map((line) => [line.event.id, line] as const))("vector %s", async (_, line) => {
  expect(await checkEvent(withProof(line))).toEqual(VERIFIED);
  expect(await checkEvent(line.event, line.proof)).toEqual(VERIFIED);
});

test("finds any event of libs/event verified, and any other value in a part", async () => {
  const part = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue(), { maxKeys: 5 });
  const parts = fc.tuple(part, part, part, part, part);
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1, unit: "grapheme" }),
      parts,
      part,
      fc.nat(4),
      async (action, values, other, index) => {
        // What the service would have read: -0 is 0.
        const event = made(action, JSON.parse(JSON.stringify(values)) as object[]);
        expect(await checkEvent(event)).toEqual(VERIFIED);
        const changed = PARTS[index] as Part;
        const isSame = canonicalJson(other as never) === canonicalJson(event[changed] as never);
        const check = await checkEvent({ ...event, [changed]: other });
        expect(check).toMatchObject({
          hash: "verified",
          parts: { [changed]: isSame ? "verified" : "differs" },
        });
      },
    ),
    { numRuns: 200 },
  );
});

describe("a change is found of", () => {
  test.each([
    ["id", "evt_other"],
    ["sequence_number", 2],
    ["sequence_number", "1"],
    ["action", "user.logout"],
    ["action", "\ud800"],
    ["hash", "f".repeat(64)],
    ["hash", undefined],
    ["previous_hash", "f".repeat(64)],
    ["occurred_at", "2026-01-01T03:04:05.678902Z"],
    ["received_at", null],
    ["created_at", '2026-01-01T03:04:07.678901Z","digests":{'],
  ])("%s, to %j", async (name, value) => {
    const check = await checkEvent({ ...whole(), [name]: value });
    expect(check).toEqual({ ...VERIFIED, state: "differs", hash: "differs" });
  });

  test.each(PARTS)("the part %s, its salt and its digest", async (part) => {
    const event = whole();
    const states = { ...VERIFIED.parts, [part]: "differs" };
    const cyclic: Record<string, unknown> = {};
    cyclic["a"] = cyclic;
    for (const value of [{ forged: 1 }, [], null, "{}", { a: "\udc00" }, cyclic]) {
      const check = await checkEvent({ ...event, [part]: value });
      expect(check).toEqual({ state: "differs", parts: states, hash: "verified" });
    }
    for (const salt of ["0".repeat(32), "xy", event.proof.salts[part]?.toUpperCase(), 7, null]) {
      const proof = { ...event.proof, salts: { ...event.proof.salts, [part]: salt } };
      const check = await checkEvent({ ...event, proof });
      expect(check).toEqual({ state: "differs", parts: states, hash: "verified" });
    }
    for (const digest of ["0".repeat(64), "xy", undefined, 7]) {
      const proof = { ...event.proof, digests: { ...event.proof.digests, [part]: digest } };
      const check = await checkEvent({ ...event, proof });
      expect(check).toEqual({ state: "differs", parts: states, hash: "differs" });
    }
  });

  test("the chain, and of a proof that holds nothing", async () => {
    const event = whole();
    const other = { ...event, proof: { ...event.proof, chain: "acct_other" } };
    expect(await checkEvent(other)).toMatchObject({ state: "differs", hash: "differs" });
    const empty = { ...event, proof: { v: 1 } } as ProvableEvent;
    expect(await checkEvent(empty)).toMatchObject({ state: "differs", hash: "differs" });
  });

  test("a time that would end its member of the leaf, and digests of other lengths", async () => {
    const forged = made("a", [{}, {}, {}, {}, {}], `${TIME}","x":"`);
    expect(await checkEvent(forged)).toMatchObject({ state: "differs", hash: "differs" });
    const { proof, ...event } = whole();
    const digits = `${proof.digests.actor}${proof.digests.context}`;
    const digests = { ...proof.digests, actor: digits.slice(0, 63), context: digits.slice(63) };
    expect(await checkEvent(event, { ...proof, digests })).toMatchObject({ hash: "differs" });
  });
});

describe("without its salt", () => {
  const hiding = (part: Part, change: object) => {
    const { [part]: _, ...salts } = whole().proof.salts;
    return { ...whole(), ...change, proof: { ...whole().proof, salts } };
  };

  test.each(PARTS)("the part %s is hidden, and the event verified", async (part) => {
    const check = await checkEvent(hiding(part, { [part]: undefined }));
    expect(check).toEqual({ ...VERIFIED, parts: { ...VERIFIED.parts, [part]: "hidden" } });
  });

  test("an actor may show its id and its type, and nothing else may be shown", async () => {
    const shown = { id: "u_1", type: "user" };
    expect(await checkEvent(hiding("actor", { actor: shown }))).toMatchObject({
      state: "verified",
      parts: { actor: "hidden" },
    });
    const forged = hiding("actor", { actor: { ...shown, meta: { role: "admin" } } });
    expect(await checkEvent(forged)).toMatchObject({
      state: "differs",
      parts: { actor: "differs" },
    });
    expect(await checkEvent(hiding("context", { context: { id: "x" } }))).toMatchObject({
      parts: { context: "differs" },
    });
  });
});

describe("a part that the event says is erased", () => {
  const erasing = (part: Part, change: object = {}, salts: object = {}) => {
    const { [part]: _, ...others } = whole().proof.salts;
    const proof = { ...whole().proof, salts: { ...others, ...salts } };
    return { ...whole(), [part]: {}, erased: [part], ...change, proof };
  };

  test.each(PARTS)("%s is hidden, and the event verified", async (part) => {
    const expected = { ...VERIFIED, parts: { ...VERIFIED.parts, [part]: "hidden" } };
    expect(await checkEvent(erasing(part))).toEqual(expected);
    expect(await checkEvent(erasing(part, { [part]: undefined }))).toEqual(expected);
  });

  test.each(PARTS)("%s differs with a value, with its salt, or with both", async (part) => {
    const salt = { [part]: whole().proof.salts[part] };
    const value = { [part]: { id: "u_1" } };
    const all = { [part]: whole()[part] };
    for (const event of [erasing(part, value), erasing(part, {}, salt), erasing(part, all, salt)])
      expect(await checkEvent(event)).toMatchObject({
        state: "differs",
        hash: "verified",
        parts: { [part]: "differs" },
      });
  });

  test("differs with another digest, by the hash", async () => {
    const { proof, ...event } = erasing("actor");
    const digests = { ...proof.digests, actor: "0".repeat(64) };
    expect(await checkEvent(event, { ...proof, digests })).toMatchObject({ hash: "differs" });
  });
});

test("an event without a proof, or with one of a later version, is unchecked", async () => {
  const { proof, ...event } = whole();
  expect(await checkEvent(event)).toEqual({ state: "unchecked" });
  expect(await checkEvent(event, { ...proof, v: 2 })).toEqual({ state: "unchecked" });
});

/** An event made with libs/event, which finds it valid. */
function made(action: string, values: readonly object[], time = TIME): ProvableEvent {
  const texts = values.map((value) => canonicalJson(value as never));
  const salts = PARTS.map((part) => Buffer.from(part.padEnd(16, "#")));
  const digests = Buffer.concat(salts.map((salt, at) => partDigest(salt, texts[at] ?? "")));
  const members = {
    action,
    chain: "acct_made",
    digests,
    id: "evt_made",
    sequenceNumber: 7,
    createdAt: time,
    occurredAt: time,
    receivedAt: time,
    previousHash: "a".repeat(64),
  };
  const hash = leafHash(leafText(members));
  const parts = Object.fromEntries(PARTS.map((part, at) => [part, texts[at]])) as Record<
    Part,
    string
  >;
  expect(checkLeaf({ ...members, parts, salts: Buffer.concat(salts), hash })).toBeUndefined();
  return {
    ...Object.fromEntries(PARTS.map((part, at) => [part, JSON.parse(texts[at] ?? "") as object])),
    id: "evt_made",
    sequence_number: 7,
    action,
    hash,
    previous_hash: "a".repeat(64),
    occurred_at: time,
    received_at: time,
    created_at: time,
    proof: JSON.parse(
      proofJson({ chain: "acct_made", salts: Buffer.concat(salts), digests }),
    ) as Proof,
  };
}
