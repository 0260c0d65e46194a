// GET /v1/log says what the account's log is called, which keys sign it, how far an epoch covers the
// account and who has seen that (docs/evidence.md). An account that no epoch covers has `covered: null`.

import { newClient } from "@annals/testing";
import { keyOf, parseVkey } from "@annals/tlog";
import { describe, expect, inject, test } from "vitest";
import { append, newCovered, untilCovered } from "../../system/covered.ts";

const stack = inject("stack");
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe("200", () => {
  test("of an account that an epoch covers", async () => {
    const { accountId, client } = await newCovered(stack, 3);
    const { status, body } = await client.get("/v1/log");
    expect(status).toBe(200);
    const { data } = body;
    expect(data).toEqual({
      origin: `${data.log_origin}/${accountId}`,
      log_origin: expect.stringMatching(/^annals\/[0-9a-f]{16}$/),
      vkeys: [expect.any(String)],
      size: 3,
      covered: {
        sequence_number: 3,
        epoch: expect.any(Number),
        time: expect.stringMatching(TIME),
        witnesses: [],
      },
      newest_epoch: { epoch: expect.any(Number), time: expect.stringMatching(TIME) },
      min_index: 0,
      policy: null,
    });
    expect(data.newest_epoch.epoch).toBeGreaterThanOrEqual(data.covered.epoch);
    const { name, publicKey, type } = parseVkey(data.vkeys[0]);
    expect(name).toBe(data.log_origin);
    expect(keyOf(data.origin, type, publicKey).publicKey).toEqual(publicKey);
  });

  test("a later epoch covers what was stored since", async () => {
    const { client } = await newCovered(stack, 1);
    const { body: before } = await client.get("/v1/log");
    await append(client, 4);
    await untilCovered(client, 5);
    const { body: after } = await client.get("/v1/log");
    expect(after.data).toMatchObject({ size: 5, covered: { sequence_number: 5 } });
    expect(after.data.covered.epoch).toBeGreaterThan(before.data.covered.epoch);
  });

  test("of an account without events", async () => {
    await newCovered(stack, 1);
    const { client } = await newClient(stack);
    const { status, body } = await client.get("/v1/log");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ size: 0, covered: null });
  });
});
