// Guarantees: the admin API compares what a request with a used Idempotency-Key asks for with what the
// account was made for, and refuses another one. It changes nothing of the system account. It lists keys in
// pages, works on eight requests at a time, and speaks TLS with the certificate of keys. Requests are held
// until all eight are used, so the system is the file's own.

import type { Stack } from "@annals/local";
import { eventually } from "@annals/testing";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";
import {
  type AdminApi,
  type Answered,
  adminApi,
  adminApiAt,
  type Asked,
  type At,
  renameAndLeave,
} from "../system/admin-api-client.ts";

const TOKEN = "t".repeat(32);
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const PLANS = { default: "free", plans: { free: {}, pro: {} } };

let stack: Stack;
let at: At;
let call: AdminApi;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "annals-admin-"));
  afterAll(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "token"), TOKEN);
  await writeFile(join(folder, "plans"), JSON.stringify(PLANS));
  stack = await startConstellation({
    shared: inject("stack"),
    without: ["nats", "gateway", "ledger", "export", "webhook-dispatcher"],
    env: {
      keys: {
        // Nothing listens there: what is recorded waits.
        ANNALS_LEDGER_ADDRESS: "127.0.0.1:1",
        ANNALS_ADMIN_API_TOKEN_FILE: join(folder, "token"),
        ANNALS_ADMIN_API_ADDRESS: "127.0.0.1:0",
        ANNALS_PLANS_FILE: join(folder, "plans"),
      },
    },
  });
  afterAll(() => stack.stop());
  at = await adminApiAt(stack, TOKEN);
  call = adminApi(at);
});

const get = (path: string) => call("GET", path);
const post = (path: string, body: unknown, headers: Asked["headers"] = {}) =>
  call("POST", path, { body, headers });

test("the same Idempotency-Key with another body is refused, and what it made stays", async () => {
  const headers = { "idempotency-key": "tenant 44" };
  const made = await post("/admin/v1/accounts", { name: "A", plan: "pro" }, headers);
  const { id } = made.body.data;
  for (const body of [
    { name: "B", plan: "pro" },
    { name: "A" },
    { name: "A", plan: "pro", key_name: "k" },
  ]) {
    const refused = await post("/admin/v1/accounts", body, headers);
    expect(refused.status).toBe(422);
    expect(refused.body.error.message).toMatch(/^Idempotency-Key: was used for another request/);
  }
  await call("PATCH", `/admin/v1/accounts/${id}`, { body: { name: "Renamed" } });
  const same = { plan: "pro", name: " A ", key_name: "first key" };
  const again = await post("/admin/v1/accounts", same, headers);
  expect(again).toMatchObject({ status: 200, body: { data: { id, name: "Renamed" } } });
});

test("the system account keeps its name, whatever plan it is put on", async () => {
  const path = "/admin/v1/accounts/acct_system";
  for (const body of [{ name: "mine" }, { name: "mine", plan: null }]) {
    const refused = await call("PATCH", path, { body });
    expect(refused.status).toBe(422);
    expect(refused.body.error.message).toContain("the system account cannot be renamed");
  }
  expect((await call("PATCH", path, { body: { plan: null } })).status).toBe(200);
  expect((await get(path)).body.data).toMatchObject({ name: "system", plan: null });
});

test("an account's keys are listed in pages", async () => {
  const { id, first_key: first } = (await post("/admin/v1/accounts", { name: "Tenant" })).body.data;
  const path = `/admin/v1/accounts/${id}/keys`;
  const second = (await post(path, { name: "second" })).body.data.id;
  const { body } = await get(`${path}?limit=1`);
  expect(body).toMatchObject({ data: [{ id: second }], has_more: true });
  const { body: next } = await get(`${path}?limit=1&cursor=${body.next_cursor}`);
  expect(next).toMatchObject({ data: [{ id: first.id }], has_more: false, next_cursor: null });
});

test("a ninth request at a time is refused with Retry-After; the eight are answered, also if a client has left", async () => {
  const { id } = (await post("/admin/v1/accounts", { name: "Tenant" })).body.data;
  const lock = new pg.Client({ connectionString: stack.databaseUrl });
  await lock.connect();
  await lock.query("BEGIN");
  await lock.query("SELECT FROM keys.accounts WHERE account_id = $1 FOR UPDATE", [id]);
  const watch = new pg.Client({ connectionString: stack.databaseUrl });
  await watch.connect();
  onTestFinished(() => watch.end());
  const leave = renameAndLeave(at, `/admin/v1/accounts/${id}`);
  await eventually("one waits", async () => (await watch.query(WAITING)).rowCount === 1);
  const MANY = /^More than 8 concurrent requests/;
  const ninth = () => get("/admin/v1/plans");
  const isRefused = ({ body }: Answered) => MANY.test(body?.error?.message);
  // One of the seven is refused while a look at the ninth has its place.
  const rename = async (): Promise<Answered> => {
    const body = { name: "waits" };
    const answer = await call("PATCH", `/admin/v1/accounts/${id}`, { body });
    return isRefused(answer) ? rename() : answer;
  };
  const renamed = Array.from({ length: 7 }, rename);
  const refusal = {
    status: 500,
    headers: { "retry-after": "1" },
    body: { error: { type: "server_error", message: expect.stringMatching(MANY) } },
  };
  try {
    // A request that comes eighth may find no free connection to the database.
    await eventually("eight wait", async () => isRefused(await ninth()));
    leave();
    expect(await ninth()).toMatchObject(refusal);
  } finally {
    await lock.query("COMMIT");
    await lock.end();
  }
  for (const { status } of await Promise.all(renamed)) expect(status).toBe(200);
  expect((await ninth()).status).toBe(200);
});

test("plaintext gets nothing", async () => {
  const got = await new Promise<string>((resolve, reject) => {
    const socket = connect(at.port, "127.0.0.1", () =>
      socket.write(
        `GET /admin/v1/plans HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
      ),
    );
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.once("error", reject);
    socket.once("close", () => resolve(text));
  });
  expect(got).not.toContain("HTTP/1.1 200");
  expect(got).not.toContain("free");
});
