// Guarantee: a CloudEvent of far more bytes than an event may have is refused by itself before it is mapped:
// its id or its subject would be hashed, several times, in one turn.

import { atOnce } from "@annals/contract";
import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { readCloudEvents } from "./read-cloudevents.ts";

const EVENT = { id: "1", source: "/a", type: "t", specversion: "1.0" };
const LARGE = "x".repeat(5 * LIMITS.eventMaxBytes);

const read = (...events: readonly object[]) =>
  atOnce(
    readCloudEvents(
      {
        bytes: Buffer.from(JSON.stringify(events)),
        rawHeaders: ["content-type", "application/cloudevents-batch+json"],
      },
      LIMITS,
    ),
  ).items;

test.each([{ id: LARGE }, { subject: LARGE }, { data: { a: LARGE } }, { data_base64: LARGE }])(
  "%#",
  (large) => {
    const [rejected, stored] = read({ ...EVENT, ...large }, EVENT);
    expect(rejected).toEqual({
      rejected: "the event is more than 262144 bytes in canonical form; at most 65536 are allowed",
    });
    expect(stored).toHaveProperty("events");
  },
);
