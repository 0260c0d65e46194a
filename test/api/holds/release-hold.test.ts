// DELETE /v1/holds/{id} ends a hold that the account has placed, once, and the chain records it
// (docs/lifecycle.md).

import { newClient, ownerOf } from "@annals/testing";
import { afterAll, describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const stack = inject("stack");
const { accountId, client } = await newClient(stack);
const owner = ownerOf(stack.databaseUrl);
const PATH = "/v1/holds";
afterAll(() => owner.close());

const place = async () => (await client.post(PATH, { from_sequence: 1 })).body.data.id as string;
const states = async (id: string) => {
  const { body } = await client.get(`/v1/events?action=annals.hold&target_id=${id}&order=asc`);
  return body.data.map((each: { metadata: { state: string } }) => each.metadata.state);
};

test("204: it is no longer listed, and its record says so", async () => {
  const [one, other] = [await place(), await place()];
  expect((await client.delete(`${PATH}/${one}`)).status).toBe(204);
  const { data } = (await client.get(PATH)).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([other]);
  expect(await states(one)).toEqual(["placed", "released"]);
  expect((await client.get("/v1/verify")).body.data).toMatchObject({ valid: true });
});

describe("404", () => {
  test("one that is released", async () => {
    const id = await place();
    expect((await client.delete(`${PATH}/${id}`)).status).toBe(204);
    expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
    expect(await states(id)).toEqual(["placed", "released"]);
  });

  test("one of another account, which stays", async () => {
    const id = await place();
    const other = await newClient(stack);
    expectRefused(await other.client.delete(`${PATH}/${id}`), "not_found");
    expect(await states(id)).toEqual(["placed"]);
  });

  test.each(["none", `hold_${"0".repeat(26)}`, "%00"])("%s", async (id) => {
    expectRefused(await client.delete(`${PATH}/${id}`), "not_found");
  });
});

test("422: a hold of the operator, which is listed and stays", async () => {
  const id = `hold_${"9".repeat(26)}`;
  await owner.query(
    `INSERT INTO ledger.holds (account_id, id, from_sequence, owner, placed_by)
     VALUES ($1, $2, 1, 'operator', 1)`,
    [accountId, id],
  );
  const listed = async () => {
    const { data } = (await client.get(PATH)).body;
    return data.find((each: { id: string }) => each.id === id);
  };
  expect(await listed()).toMatchObject({ owner: "operator" });
  expectRefused(await client.delete(`${PATH}/${id}`), "validation_error", {
    field: "id",
    message: /hold of the operator/,
  });
  expect(await listed()).toMatchObject({ owner: "operator" });
  expect(await states(id)).toEqual([]);
});
