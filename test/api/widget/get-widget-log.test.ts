// GET /v1/widget/log says how far an epoch covers the account, since when, and how many witnesses have seen
// it, and names none of them. It takes a widget token and counts in its window (docs/evidence.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { newCovered } from "../../system/covered.ts";
import { newToken } from "../../system/widget-client.ts";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");

describe("200", () => {
  test("as far as the account's log says", async () => {
    const { client } = await newCovered(stack, 3);
    const { widget } = await newToken(client, { filter: { action: "none" } });
    const { body: log } = await client.get("/v1/log");
    const { witnesses, ...covered } = log.data.covered;
    const { body, headers, status } = await widget.get("/v1/widget/log");
    expect(status).toBe(200);
    expect(body.data).toEqual({
      log_origin: log.data.log_origin,
      covered: { ...covered, witness_count: witnesses.length },
    });
    expect(headers["x-ratelimit-limit"]).toBe("120");
  });

  test("null for an account that no epoch covers", async () => {
    const { client } = await newCovered(stack, 1);
    const { body: log } = await client.get("/v1/log");
    const { widget } = await newToken((await newClient(stack)).client);
    const { body } = await widget.get("/v1/widget/log");
    expect(body.data).toEqual({ log_origin: log.data.log_origin, covered: null });
  });
});

describe("401", () => {
  test("for an API key, and for a token on the routes of the log", async () => {
    const { client } = await newClient(stack);
    const { widget } = await newToken(client);
    expectRefused(await client.get("/v1/widget/log"), "authentication_error");
    expectRefused(await widget.get("/v1/log"), "authentication_error");
    expectRefused(await widget.get("/v1/log/checkpoint"), "authentication_error");
  });
});
