// PUT /v1/retention: sets how long the account's events are kept. A shorter time takes effect after seven
// days (docs/lifecycle.md).

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/retention";
const put = (body: unknown) => client.send("PUT", PATH, { body });
const MS_PER_DAY = 86_400_000;

test("200: a shorter time waits for seven days, and null takes it back at once", async () => {
  const answer = await put({ days: 30 });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toMatchObject({ days: null, limited_by: null, account_days: 30 });
  const wait = Date.parse(answer.body.data.shorter_from) - Date.now();
  expect(wait).toBeGreaterThan(6.9 * MS_PER_DAY);
  expect(wait).toBeLessThanOrEqual(7 * MS_PER_DAY);
  expect((await client.get(PATH)).body.data).toEqual(answer.body.data);
  const back = await put({ days: null });
  expect(back.body.data).toMatchObject({ days: null, account_days: null, shorter_from: null });
});

describe("422", () => {
  test.each([
    [{ days: 29 }, /must be from 30, the shortest time of the plan, to 36500; or null/],
    [{ days: 36_501 }, /days/],
    [{ days: 1 }, /days/],
    [{ days: "90" }, /days/],
    [{}, /days/],
  ])("%j", async (body, message) => {
    expectRefused(await put(body), "validation_error", { message });
    expect((await client.get(PATH)).body.data.account_days).toBeNull();
  });

  test("another member", async () => {
    expectRefused(await put({ days: 90, years: 1 }), "validation_error", {
      field: "years",
      message: /years/,
    });
  });

  test("archives that the plan does not have", async () => {
    expectRefused(await put({ days: 90, archive: true }), "validation_error", {
      field: "archive",
      message: "archive: must be false: the plan has no archives",
    });
    expect((await client.get(PATH)).body.data).toMatchObject({
      account_days: null,
      archive: false,
    });
  });
});
