// Guarantee: what is written out for speed, the JSON of an event and the leaf, has the members of the table
// in the order of the table, and each value is under its own name.

import { expect, test } from "vitest";
import { eventJson, proofJson } from "./event-json.ts";
import { EVENT_MEMBERS, type EventText, PARTS } from "./event-members.ts";
import { leafText } from "./leaf.ts";

const names = Object.keys(EVENT_MEMBERS);

const camelCase = (name: string) =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Each member holds its own name. */
const event = Object.fromEntries(
  Object.entries(EVENT_MEMBERS).map(([name, kind], index) => [
    camelCase(name),
    kind === "part" ? `{"${name}":1}` : kind === "number" ? index : name,
  ]),
) as unknown as EventText;

test("the JSON of an event", () => {
  const values = Object.entries(EVENT_MEMBERS).map(([name, kind], index) => [
    name,
    kind === "part" ? { [name]: 1 } : kind === "number" ? index : name,
  ]);
  expect(eventJson(event)).toBe(JSON.stringify(Object.fromEntries(values)));
});

test("the leaf: every member but the hash, digests in place of the parts, the chain and the version", () => {
  const digests = Buffer.from(PARTS.map((_, index) => String(index).repeat(64)).join(""), "hex");
  const members = {
    ...event,
    chain: "chain",
    digests,
    sequenceNumber: Number(event.sequenceNumber),
  };
  const leaf = JSON.parse(leafText(members)) as Record<string, unknown>;
  const kept = names.filter(
    (name) => name !== "hash" && EVENT_MEMBERS[name as keyof typeof EVENT_MEMBERS] !== "part",
  );
  expect(Object.keys(leaf)).toStrictEqual([...kept, "chain", "digests", "v"].toSorted());
  for (const name of kept.filter((each) => each !== "sequence_number"))
    expect(leaf[name]).toBe(name);
  const hex = PARTS.map((part, index) => [part, String(index).repeat(64)]);
  expect(leaf["digests"]).toStrictEqual(Object.fromEntries(hex));
});

test("the proof has a salt and a digest of each part, in the order of the parts", () => {
  const hex = (size: number) => PARTS.map((_, index) => String(index).repeat(size)).join("");
  const proof = JSON.parse(proofJson({ chain: "c", salts: hex(32), digests: hex(64) }));
  const values = (size: number) =>
    Object.fromEntries(PARTS.map((part, index) => [part, String(index).repeat(size)]));
  expect(proof).toStrictEqual({ v: 1, chain: "c", salts: values(32), digests: values(64) });
  expect(Object.keys(proof.salts)).toStrictEqual([...PARTS]);
});

test("the JSON of an event with erased parts names them, in the order of the parts, after all members", () => {
  const json = eventJson({ ...event, erased: 16 + 1 });
  expect(json).toBe(`${eventJson(event).slice(0, -1)},"erased":["actor","target"]}`);
  expect(eventJson({ ...event, erased: 0 })).toBe(eventJson(event));
  expect(eventJson({ ...event, erased: 31 })).toContain(`"erased":${JSON.stringify(PARTS)}}`);
});

test("the proof of an event with erased parts lacks their salts, and keeps all digests", () => {
  const hex = (size: number) => PARTS.map((_, index) => String(index).repeat(size)).join("");
  const text = proofJson({ chain: "c", salts: hex(32), digests: hex(64) }, ["actor", "diff"]);
  const proof = JSON.parse(text);
  expect(Object.keys(proof.salts)).toStrictEqual(["context", "metadata", "target"]);
  expect(Object.keys(proof.digests)).toStrictEqual([...PARTS]);
});
