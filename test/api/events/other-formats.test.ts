// Guarantee: events of real records, as the service returns them, are valid OCSF and ECS. Read back from
// OCSF they still verify. Sent as CloudEvents to another account, they are events with the same members, as
// far as a CloudEvent has attributes for them, and whole in `metadata.data`.

import { fromOcsf, type SourceEvent, toCloudEvent, toEcs, toOcsf } from "@annals/ocsf";
import { ecsFaults, ocsfFaults } from "@annals/ocsf/testing";
import { checkEvent, type ProvableEvent } from "@annals/proof";
import { newClient } from "@annals/testing";
import { beforeAll, expect, inject, test } from "vitest";
import { mapRecord } from "../../example/cloudtrail/map-record.ts";
import { readSample } from "../../example/cloudtrail/record.ts";

const stack = inject("stack");
const COUNT = 2_000;
const BATCH = 500;
const PAGE = 100;

const sent = <Value>(value: Value) => JSON.parse(JSON.stringify(value)) as Value;

/** The events that the tests map, with their proofs. */
let events: SourceEvent[];

beforeAll(async () => {
  const { client, accountId: chain } = await newClient(stack);
  const records = (await readSample()).map(mapRecord);
  for (let at = 0; at < COUNT; at += BATCH)
    await client.post("/v1/events/batch", { events: records.slice(at, at + BATCH) });
  events = [];
  for (let after = 0; after < COUNT; after = events.at(-1)?.sequence_number ?? COUNT) {
    const path = `/v1/events?order=asc&include=proof&limit=${PAGE}&after_sequence=${after}`;
    const { data, proofs } = (await client.get(path)).body as { data: object[]; proofs: object[] };
    const page = data.map((event, at) => ({ ...event, chain, proof: proofs[at] }));
    events.push(...(page as unknown as SourceEvent[]));
  }
});

test(`${COUNT} events of real records are valid OCSF of several classes, and verify when they are read back`, async () => {
  expect(events).toHaveLength(COUNT);
  const classes = new Set<unknown>();
  for (const event of events) {
    const ocsf = sent(toOcsf(event));
    expect(ocsfFaults(ocsf)).toEqual([]);
    classes.add(ocsf["class_name"]);
    const back = fromOcsf(ocsf);
    expect(back).toEqual(event);
    const { state } = await checkEvent(back as unknown as ProvableEvent);
    expect(state).toBe("verified");
  }
  expect(classes).toEqual(new Set(["API Activity", "Entity Management"]));
});

test("control: an attribute that was changed in OCSF does not verify", async () => {
  const ocsf = sent(toOcsf(events[0] as SourceEvent));
  const { metadata } = ocsf as { metadata: object };
  const back = fromOcsf({
    ...ocsf,
    metadata: { ...metadata, original_time: "2020-01-01T00:00:00.000000Z" },
  });
  expect((await checkEvent(back as unknown as ProvableEvent)).state).not.toBe("verified");
});

test("the same events are valid ECS", () => {
  expect(events.flatMap((event) => ecsFaults(sent(toEcs(event))))).toEqual([]);
  expect(events).toHaveLength(COUNT);
});

test("the same events, sent as CloudEvents, are events of another account", async () => {
  const { client } = await newClient(stack);
  const given = events.slice(0, PAGE);
  const body = given.map((event) => toCloudEvent(event, "https://annals.example.com"));
  const headers = { "content-type": "application/cloudevents-batch+json" };
  const stored = await client.post("/v1/intake/cloudevents", body, { headers });
  expect(stored.body.data).toMatchObject({ stored: PAGE, rejected: 0 });
  const { data } = (await client.get(`/v1/events?order=asc&limit=${PAGE}`)).body;
  const idAndType = (thing: { id?: string; type?: string } = {}) => ({
    ...(thing.id !== undefined && { id: thing.id }),
    ...(thing.type !== undefined && { type: thing.type }),
  });
  expect(data).toHaveLength(PAGE);
  for (const [at, event] of given.entries())
    expect(data[at]).toMatchObject({
      action: event.action,
      occurred_at: event.occurred_at,
      actor: idAndType(event.actor),
      target: idAndType(event.target),
      metadata: { data: sent(event), cloudevents: { id: event.id } },
    });
});
