// Guarantees: whatever ends a workload, its issuer or the trust in it ends the next admission of its tokens,
// also while one is verified; a token has a key's windows and addresses, and an account a bounded number of
// them. A failing issuer is no refusal. With a real PostgreSQL and an issuer on loopback.

import type { Pool } from "@annals/postgres";
import { RateWindow } from "@annals/proto/keys";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { migratedDatabase } from "../../testing/database.ts";
import { WorkloadIssuerServer } from "../../testing/workload-issuer.ts";
import { trustingAccount } from "../../testing/workloads.ts";

let owner: TestDatabase;
let service: Pool;
let server: WorkloadIssuerServer;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
  server = await WorkloadIssuerServer.start();
});
afterAll(() => server.close());

const trusting = (workload: Parameters<typeof trustingAccount>[2] = {}) =>
  trustingAccount(service, server, workload);

const REFUSED = { kind: "unauthenticated" };

describe("the next admission is refused", () => {
  type One = Awaited<ReturnType<typeof trusting>>;

  test.each<[string, (one: One) => unknown]>([
    [
      "when the workload is deleted",
      ({ workloadId }) => owner.query("DELETE FROM keys.workloads WHERE id = $1", [workloadId]),
    ],
    [
      "when its issuer leaves the file",
      ({ identities }) => (identities.current = { people: [], workloads: [] }),
    ],
    [
      "when the file has another issuer of its name",
      ({ identities }) =>
        (identities.current = {
          people: [],
          workloads: [server.entry({ issuer: "https://other" })],
        }),
    ],
    [
      "when the account may not trust the issuer any longer",
      ({ identities }) =>
        (identities.current = {
          people: [],
          workloads: [server.entry({ accounts: ["acct_other"] })],
        }),
    ],
    [
      "when ten minutes have passed",
      ({ accountId }) =>
        owner.query(
          "UPDATE keys.access_tokens SET expires_at = expires_at - interval '10 minutes' WHERE account_id = $1",
          [accountId],
        ),
    ],
  ])("%s", async (name, end) => {
    const one = await trusting();
    const token = one.token();
    await one.register(token);
    expect(await one.admit(token)).toMatchObject({ admitted: 1 });
    await end(one);
    expect(await one.admit(token)).toEqual({});
    const again = one.register(token);
    if (name.includes("ten minutes")) await again;
    else await expect(again).rejects.toMatchObject(REFUSED);
    expect((await one.admit(token))?.remaining).toBe(name.includes("ten minutes") ? 58 : undefined);
  });

  test("and a workload that is deleted while its token is verified registers nothing", async () => {
    const one = await trusting();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.gate = promise;
    onTestFinished(() => resolve());
    server.requests.length = 0;
    const registering = one.register(one.token()).then(String, (error: unknown) => error);
    await expect.poll(() => server.requests.length).toBeGreaterThan(0);
    await owner.query("DELETE FROM keys.workloads WHERE id = $1", [one.workloadId]);
    resolve();
    expect(await registering).toMatchObject(REFUSED);
  });
});

test("has a key's windows, and its account's bounds them all", async () => {
  const { admit, register, token } = await trusting();
  const one = token();
  await register(one);
  await admit(one, { count: 60 });
  expect(await admit(one)).toMatchObject({ admitted: 0, remaining: 0 });
  expect(await admit(one, { window: RateWindow.INTAKE })).toMatchObject({ admitted: 1 });
  const other = token({ jti: "2" });
  await register(other);
  expect(await admit(other)).toMatchObject({ admitted: 1, accountWindow: { used: 61 } });
});

test("may be used from its addresses alone", async () => {
  const { admit, register, token } = await trusting({ allowedIps: ["192.0.2.0/24"] });
  const one = token();
  await register(one);
  const from = (address: string) => ({ addresses: [{ address, count: 1 }] });
  expect(await admit(one, from("192.0.2.7"))).toMatchObject({
    admitted: 1,
    allowedIps: ["192.0.2.0/24"],
  });
  const elsewhere = await admit(one, from("198.51.100.1"));
  expect(elsewhere).toMatchObject({ admitted: 0 });
  expect(elsewhere).not.toHaveProperty("statement");
});

test("a failing issuer is no refusal, and nothing is counted", async () => {
  const { reasons, register, registry, token } = await trusting();
  server.status = 500;
  onTestFinished(() => void (server.status = 200));
  await expect(register(token())).rejects.toMatchObject({ kind: "unavailable" });
  expect(reasons).toEqual([expect.stringContaining("its status is 500")]);
  expect(await registry.metrics()).toMatch(
    /admissions_total\{[^}]*outcome="unknown_key"[^}]*\} 0\n/,
  );
});

test("beyond 10,000 live ones an account gets no more", async () => {
  const { accountId, register, token, workloadId } = await trusting();
  await owner.query(
    `INSERT INTO keys.access_tokens (account_id, id, secret_sha256, workload_id, issuer, subject, created_at, expires_at)
     SELECT $1, 'x' || n, sha256(n::text::bytea), $2, 'i', 's', now(), now() + interval '1 hour'
     FROM generate_series(1, 9999) AS n`,
    [accountId, workloadId],
  );
  await register(token());
  await expect(register(token({ jti: "2" }))).rejects.toMatchObject({ kind: "rate_limited" });
});
