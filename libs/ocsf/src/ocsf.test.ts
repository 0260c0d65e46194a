// Guarantee: what an event becomes is valid OCSF of the pinned version, whatever its client chose, and the
// same event again on the way back.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromOcsf, OCSF_CLASSES, OCSF_VERSION, type OcsfClassName, toOcsf } from "./index.ts";
import type { SourceEvent } from "./source-event.ts";
import { CHECKPOINT, EVENT, eventsOf, KINDS } from "./testing/source-events.ts";
import { OCSF_SCHEMA, ocsfFaults } from "./testing/validate-ocsf.ts";

/** How a receiver has it. */
const sent = (event: SourceEvent) =>
  JSON.parse(JSON.stringify(toOcsf(event))) as Record<string, unknown>;

/** Compares names such as `constructor` too, which the matchers take for those of a class. */
const isSame = (a: unknown, b: unknown) => isDeepStrictEqual(a, b);

const NAMES = Object.keys(OCSF_CLASSES) as OcsfClassName[];

describe.each(NAMES)("%s", (name) => {
  test("has the numbers and the captions of the schema", () => {
    const { uid, caption, category, activities } = OCSF_CLASSES[name];
    const schema = OCSF_SCHEMA.classes[name];
    expect(schema).toMatchObject({ uid, caption, category: category.name });
    expect(schema?.category_uid).toBe(category.uid);
    const numbered = activities.map((activity, at) => [String(at + 1), activity] as const);
    expect(schema?.attributes["activity_id"]?.enum).toEqual({
      ...Object.fromEntries(numbered),
      0: "Unknown",
      99: "Other",
    });
  });

  test.each(KINDS[name] ?? [])("is what %s of a %s becomes", (action, type) => {
    const target = type === "" ? {} : { ...EVENT.target, type };
    const ocsf = toOcsf({ ...EVENT, action, target, metadata: { role: "editor" } });
    expect(ocsf["class_uid"]).toBe(OCSF_CLASSES[name].uid);
    expect(ocsfFaults(ocsf)).toEqual([]);
  });

  test("is valid, and the same event on the way back, in any shape", () => {
    let [ofClass, all] = [0, 0];
    fc.assert(
      fc.property(eventsOf(name), (event) => {
        const ocsf = sent(event);
        expect(ocsfFaults(ocsf)).toEqual([]);
        expect(isSame(fromOcsf(ocsf), event)).toBe(true);
        all += 1;
        if (ocsf["class_uid"] === OCSF_CLASSES[name].uid) ofClass += 1;
      }),
    );
    expect(ofClass).toBeGreaterThan(all / 5);
  });

  test("is valid for any event that an override names it for", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES).chain(eventsOf), (event) => {
        const ocsf = toOcsf(event, { "*": { class: name, activity: "Deployed" } });
        expect(ocsfFaults(ocsf)).toEqual([]);
        expect(isSame(fromOcsf(ocsf), event)).toBe(true);
      }),
    );
  });
});

test("the version is that of the extract", () => {
  expect(OCSF_VERSION).toBe(OCSF_SCHEMA.version);
});

test("an event has each attribute in its place", () => {
  expect(toOcsf(EVENT)).toMatchObject({
    class_uid: 3004,
    activity_name: "Update",
    type_uid: 300_403,
    time: Date.parse("2026-01-31T09:30:00.123Z"),
    status_id: 1,
    metadata: {
      uid: "evt_1",
      sequence: 7,
      tenant_uid: "acct_1",
      event_code: "invoice.update",
      original_time: EVENT.occurred_at,
    },
    actor: { user: { uid: "u_1", name: "Ada", type_id: 1, type: "User" } },
    src_endpoint: { ip: "203.0.113.7" },
    http_request: { user_agent: "curl/8" },
    entity: { uid: "inv_9", type_id: 99, type: "invoice", data: { total: 1 } },
    entity_result: { uid: "inv_9", data: { total: 2 } },
    unmapped: { hash: EVENT.hash, previous_hash: EVENT.previous_hash },
  });
});

test.each([
  ["user.login.failed", { context: {} }, "failure"],
  ["user.login", { metadata: { outcome: "failure" } }, "failure"],
  ["user.login_failed", { metadata: { outcome: "unknown" } }, "unknown"],
])("the outcome of %s with %j is %s", (action, more, outcome) => {
  const { status } = toOcsf({ ...EVENT, metadata: {}, ...more, action });
  expect(String(status).toLowerCase()).toBe(outcome);
});

test("a checkpoint, which has no id, number or time, is valid and comes back", () => {
  expect(ocsfFaults(sent(CHECKPOINT))).toEqual([]);
  expect(fromOcsf(sent(CHECKPOINT))).toEqual(CHECKPOINT);
});

describe("an override", () => {
  const overrides = {
    "invoice.*": { class: "api_activity" },
    "invoice.up*": { class: "account_change", activity: "lock" },
    "invoice.delete": { class: "entity_management" },
  } as const;

  test.each([
    ["invoice.read", 6003, 2],
    ["invoice.update", 3001, 9],
    ["invoice.delete", 3004, 4],
    ["toString", 3004, 99],
  ])("for %s gives class %d and activity %d", (action, uid, activity) => {
    const ocsf = toOcsf(
      { ...EVENT, action },
      { ...overrides, toString: overrides["invoice.delete"] },
    );
    expect(ocsf).toMatchObject({ class_uid: uid, activity_id: activity });
  });

  test("is left out for an event that lacks what its class requires", () => {
    const event = { ...EVENT, action: "invoice.update", target: {} };
    expect(toOcsf(event, overrides)).toMatchObject({ class_uid: 6003, activity_name: "Update" });
  });
});

test("a large diff with the names of a prototype comes back, and changes no prototype", () => {
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}';
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [
      `k${at}`,
      { at, text: "\u{1f600}\u0000 ".repeat(2) },
    ]),
  );
  const hostile = JSON.parse(text) as object;
  const diff = { before: hostile, after: { ...many, hostile }, ...hostile };
  const withOwn = JSON.parse(`{"__proto__":{"id":"x"},"id":"u_1","meta":${text}}`) as object;
  for (const action of ["invoice.update", "user.login", "pay"]) {
    const event = { ...EVENT, action, diff, actor: withOwn, target: withOwn, metadata: hostile };
    expect(JSON.stringify(sent(event))).toContain('"__proto__"');
    expect(isSame(fromOcsf(sent(event)), event)).toBe(true);
    expect(Object.hasOwn(fromOcsf(sent(event)).actor ?? {}, "__proto__")).toBe(true);
  }
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("an event of another product is read without an error", () => {
  expect(fromOcsf({ class_uid: 1001, metadata: 5, unmapped: [] })).toEqual({
    chain: "",
    action: "",
  });
});

describe("control: the validator refuses", () => {
  const ocsf = () => toOcsf(EVENT);
  const { metadata, entity, actor } = ocsf() as Record<string, Record<string, unknown>>;
  const { product: _, ...noProduct } = metadata ?? {};

  test.each([
    ["a class without what it requires", { entity: undefined }, "entity: required"],
    ["an object without it", { metadata: noProduct }, "metadata.product: required"],
    ["an unknown attribute", { entitty: {} }, "entitty: unknown attribute"],
    ["one in an object", { entity: { ...entity, x: 1 } }, "entity.x: unknown attribute"],
    ["`toString` as an attribute", { toString: 1 }, "toString: unknown attribute"],
    ["another type", { message: 5 }, "message: not a text"],
    ["a fraction of a number", { time: 1.5 }, "time: not an integer of its range"],
    ["no array", { observables: {} }, "observables: not an array"],
    ["a value beyond an enumeration", { severity_id: 7 }, "severity_id: not a value"],
    ["another caption", { severity: "Low" }, "severity_id: not the caption"],
    ["a text that is no address", { src_endpoint: { ip: "here" } }, "src_endpoint.ip: not ip_t"],
    ["none of which one must be", { src_endpoint: { port: 1 } }, "src_endpoint.: at_least_one"],
    ["another number of the type", { type_uid: 300_404 }, "type_uid: does not follow"],
    ["an unknown class", { class_uid: 3000 }, "class_uid: unknown"],
    ["another version", { metadata: { ...metadata, version: "1.7.0" } }, "metadata.version"],
    ["an object in place of a text", { actor: { ...actor, app_name: {} } }, "actor.app_name: not"],
  ])("%s", (_name, change, fault) => {
    const changed = JSON.parse(JSON.stringify({ ...ocsf(), ...change })) as Record<string, unknown>;
    const faults = ocsfFaults(changed);
    expect(faults.join("\n")).toContain(fault);
    expect(ocsfFaults(ocsf())).toEqual([]);
  });
});
