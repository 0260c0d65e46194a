// Control of check-traffic.ts: whatever in a document is not so is found out, in a request that was accepted,
// in an answer and in a delivery. A refused request need not fit.

import { type Answer, HttpClient, newClient, type Traffic } from "@annals/testing";
import { expect, inject, test } from "vitest";
import { Contract } from "../../system/openapi-contract.ts";
import type { Json } from "../../system/openapi-document.ts";

const { client } = await newClient(inject("stack"));
const document: Json = (await client.get("/openapi.json")).body;

/** The exchange of a request, and its answer. */
async function traffic(send: () => Promise<Answer>): Promise<Traffic> {
  const seen: Traffic[] = [];
  const { watch } = HttpClient;
  HttpClient.watch = (one) => seen.push(one);
  await send();
  HttpClient.watch = watch;
  const [first] = seen;
  if (!first) throw new Error("nothing was sent");
  return first;
}

const stored = await traffic(() => client.post("/v1/events", { action: "a", actor: { id: "u" } }));
const listed = await traffic(() => client.get("/v1/events?limit=1"));
const refused = await traffic(() => client.post("/v1/events", { action: 7 }));

function faults(of: Traffic, change: (document: Json) => void = () => {}): string {
  const changed = structuredClone(document);
  change(changed);
  return new Contract(changed).faults(of).join("\n");
}

test("what fits is no fault, nor is a refused request that does not", () => {
  expect([stored, listed, refused].map((one) => faults(one))).toEqual(["", "", ""]);
});

test.each<[string, Traffic, (schemas: Json, document: Json) => void, RegExp]>([
  [
    "a member of an answer of another type",
    stored,
    ({ Event }) => (Event.properties.id.type = "integer"),
    /the answer\/data\/id must be integer/,
  ],
  [
    "a member that an answer lacks",
    stored,
    ({ Event }) => Event.required.push("colour"),
    /required property 'colour'/,
  ],
  [
    "a member that the document lacks",
    stored,
    ({ Event }) => delete Event.properties.hash,
    /must NOT have additional properties .*"hash"/,
  ],
  [
    "a time of another format",
    stored,
    ({ Event }) => (Event.properties.created_at.format = "date"),
    /created_at must match format "date"/,
  ],
  [
    "an accepted member",
    stored,
    ({ NewEvent }) => delete NewEvent.properties.actor,
    /the body must NOT have additional properties/,
  ],
  [
    "an accepted value",
    stored,
    ({ Actor }) => (Actor.properties.id.minLength = 2),
    /the body\/actor\/id must NOT have fewer/,
  ],
  [
    "an accepted parameter",
    listed,
    (_, { paths }) => (paths["/v1/events"].get.parameters = []),
    /limit is no parameter/,
  ],
  [
    "a header",
    listed,
    (_, { components }) => (components.headers["X-Request-Id"].schema.type = "integer"),
    /the header X-Request-Id .*must be integer/,
  ],
  [
    "a status",
    listed,
    (_, { paths }) => delete paths["/v1/events"].get.responses[200],
    /the status 200 is not in the document/,
  ],
  [
    "a media type",
    listed,
    (_, { paths }) => (paths["/v1/events"].get.responses[200].content = { "text/csv": {} }),
    /the media type application\/json/,
  ],
  [
    "an operation",
    listed,
    (_, { paths }) => delete paths["/v1/events"].get,
    /200 for no operation/,
  ],
  [
    "an error",
    refused,
    ({ Error: error }) => (error.properties.error.properties.type.enum = ["other"]),
    /must be equal to one of the allowed values/,
  ],
])("%s that is not as the document says is found", (_, of, change, message) => {
  expect(faults(of, (changed) => change(changed.components.schemas, changed))).toMatch(message);
});

test("a test whose answer does not fit fails", async () => {
  const { watch } = HttpClient;
  HttpClient.watch = (one) =>
    watch?.({ ...one, answer: { ...one.answer, body: { data: [{ id: 7 }] } } });
  await expect(client.get("/v1/events")).rejects.toThrow(/is not as \/openapi.json says/);
  HttpClient.watch = watch;
});

test("a delivery", () => {
  const { example } =
    document.webhooks["event.created"].post.requestBody.content["application/json"];
  const parameters = document.webhooks["event.created"].post.parameters as Json[];
  const headers = Object.fromEntries(
    parameters.map(({ name, example: value }) => [name.toLowerCase(), String(value)]),
  );
  const contract = new Contract(document);
  expect(contract.deliveryFaults({ headers, json: example })).toEqual([]);
  const { "x-service-signature": _, ...unsigned } = headers;
  expect(contract.deliveryFaults({ headers: unsigned, json: example })).toEqual([
    "the parameter X-Service-Signature is missing",
  ]);
  const other = { ...example, data: { ...example.data, hash: "none" } };
  expect(contract.deliveryFaults({ headers, json: other }).join()).toMatch(
    /data\/hash must match pattern/,
  );
});
