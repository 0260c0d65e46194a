// Guarantee: the files of an account's exports have at most as many bytes as its plan says, be that more or
// less than the setting, or as the setting says where the plan does not. GET /v1/usage shows the same
// limit. An export that reaches it exactly is completed, one of a byte more fails, and beyond it every one is
// refused. Another plan counts from the next request on.

import { afterLeases } from "@annals/keys/src/admissions/leases.ts";
import { eventually, HttpClient, newAccount, ownerOf } from "@annals/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  SETTING_OF_EXPORT_BYTES as SETTING,
  shared,
  type SharedSystem,
} from "../../system/shared-systems.ts";
import { expectRefused } from "../refusal.ts";

let stack: SharedSystem;
let owner: ReturnType<typeof ownerOf>;

beforeAll(async () => {
  stack = await shared("webhooks");
  owner = ownerOf(stack.databaseUrl);
});
afterAll(() => owner.close());

/** Waits as the command does. */
const setPlan = (accountId: string, plan: string) =>
  afterLeases(
    owner.query("UPDATE keys.accounts SET plan = $2 WHERE account_id = $1", [accountId, plan]),
  );

async function newClient(plan: string) {
  const { accountId, key } = await newAccount(stack.databaseUrl);
  await setPlan(accountId, plan);
  return { accountId, client: new HttpClient(stack.baseUrls[0] ?? "", key) };
}

async function bytesOf(client: HttpClient) {
  const { body, status, text } = await client.get("/v1/usage");
  expect(status, text).toBe(200);
  return body.data.export_bytes;
}

/** Asks for an export of everything, and resolves to it when it is completed or has failed. */
async function ended(client: HttpClient) {
  const { id } = (await client.post("/v1/exports", {})).body.data;
  return eventually("the export has ended", async () => {
    const { data } = (await client.get(`/v1/exports/${id}`)).body;
    return /completed|failed/.test(data.status) ? data : undefined;
  });
}

/** A finished export beside the others. */
async function addExport(accountId: string, bytes: number): Promise<void> {
  const job = `INSERT INTO exports.jobs (account_id, id, format, include_proofs, filter_json, filter,
    head_sequence, head_hash, created_at, status, completed_at, event_count, sha256, size_bytes, file)
    VALUES ($1, 'exp_1', 'csv', true, '{}', '', 0, '', '2100', 'completed', '2100', 0, '', $2, 'none')`;
  await owner.query(job, [accountId, bytes]);
}

const resizeExport = (accountId: string, bytes: number) =>
  owner.query("UPDATE exports.jobs SET size_bytes = $2 WHERE account_id = $1 AND id = 'exp_1'", [
    accountId,
    bytes,
  ]);

test.each([
  ["everything", SETTING],
  ["roomy", 2 * SETTING],
  ["tight", SETTING / 2],
])(
  "plan %s: %i bytes are completed, one more fails, and then the next is refused",
  async (plan, limit) => {
    const { client: sized } = await newClient("everything");
    const { size_bytes: size } = await ended(sized);
    const { accountId, client } = await newClient(plan);
    await addExport(accountId, limit - size + 1);
    const failed = await ended(client);
    expect(failed.status).toBe("failed");
    expect(await bytesOf(client)).toEqual({ used: limit - size + 1, limit });

    await resizeExport(accountId, limit - size);
    expect(await ended(client)).toMatchObject({ status: "completed", size_bytes: size });
    expect(await bytesOf(client)).toEqual({ used: limit, limit });
    const refused = await client.post("/v1/exports", { format: "csv" });
    const message = new RegExp(`${limit} of ${limit} bytes`);
    expectRefused(refused, "plan_limit_exceeded", { message });

    await resizeExport(accountId, limit - size - 1);
    expect((await client.post("/v1/exports", { format: "csv" })).status).toBe(201);
  },
);

test("a plan of no bytes refuses every export, and others are written", async () => {
  const { client } = await newClient("empty");
  expect(await bytesOf(client)).toEqual({ used: 0, limit: 0 });
  expectRefused(await client.post("/v1/exports", {}), "plan_limit_exceeded");
  const { client: other } = await newClient("tight");
  expect((await ended(other)).status).toBe("completed");
});

test("another plan bounds them from the next request on", async () => {
  const { accountId, client } = await newClient("roomy");
  const limits = [(await bytesOf(client)).limit];
  for (const plan of ["tight", "everything"]) {
    await setPlan(accountId, plan);
    limits.push((await bytesOf(client)).limit);
  }
  expect(limits).toEqual([2 * SETTING, SETTING / 2, SETTING]);
});
