// Guarantee: a program stores and reads events with the token of its platform, as the workload of its account
// that trusts it, and with nothing else. A workload that is deleted and an issuer that leaves the file end
// the next request, under load, and what the workload has made. No token is in a log, in a table or in the
// chain of the system account. The services read an identity file, so the system is the file's own.

import { WorkloadIssuerServer } from "@annals/keys/src/testing/workload-issuer.ts";
import type { Stack } from "@annals/local";
import { eventually, HttpClient, newClient, newKey, ownerOf } from "@annals/testing";
import {
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { startConstellation } from "../system/constellation.ts";

const ORIGIN = "https://audit.example.com";
const WORKLOADS = "/v1/workloads";
const EVENT = { action: "deploy", actor: { id: "job" }, target: { type: "app", id: "a" } };

const folder = mkdtempDisposableSync(join(tmpdir(), "annals-workloads-"));
const identityFile = join(folder.path, "identity.json");

let server: WorkloadIssuerServer;
let stack: Stack;
let account: Awaited<ReturnType<typeof newClient>>;
/** What must be written nowhere. */
const secrets = new Set<string>();

beforeAll(async () => {
  server = await WorkloadIssuerServer.start();
  useIssuers("platform");
  const identity = { ANNALS_PUBLIC_URL: ORIGIN, ANNALS_IDENTITY_FILE: identityFile };
  stack = await startConstellation({
    shared: inject("stack"),
    env: { keys: { ...identity, ANNALS_RATE_LIMIT_PER_MINUTE: "100000" } },
    without: ["nats", "export", "webhook-dispatcher"],
  });
});
afterAll(async () => {
  await stack.stop();
  await server.close();
  folder.remove();
});
beforeEach(async () => {
  account = await newClient(stack);
});

/** Replaces the file at once. */
function useIssuers(...names: readonly string[]): void {
  const workloads = names.map((name) => ({ name, issuer: server.issuer, accounts: "*" }));
  writeFileSync(`${identityFile}.new`, JSON.stringify({ workloads }));
  renameSync(`${identityFile}.new`, identityFile);
}

/** Claims as the platforms make them. */
const PLATFORMS = {
  kubernetes: {
    sub: "system:serviceaccount:logging:collector",
    "kubernetes.io": { namespace: "logging", pod: { name: "collector-0", uid: "u" } },
  },
  github: {
    sub: "repo:octo@1/app@74:ref:refs/heads/main",
    repository: "octo/app",
    repository_id: "74",
    ref: "refs/heads/main",
    runner_environment: "github-hosted",
  },
  gitlab: {
    sub: "project_path:group/app:ref_type:branch:ref:main",
    project_id: "42",
    ref_protected: "true",
  },
};

function tokenOf(claims: object, more: object = {}): string {
  const nowS = Math.floor(Date.now() / 1_000);
  const times = { iat: nowS, nbf: nowS, exp: nowS + 600 };
  const aud = `${ORIGIN}/${account.accountId}`;
  const token = server.token({ aud, ...times, ...claims, ...more });
  secrets.add(token);
  return token;
}

async function trust(workload: object): Promise<string> {
  const given = { name: "one", issuer: "platform", scopes: ["events:write", "events:read"] };
  const answer = await account.client.post(WORKLOADS, { ...given, ...workload });
  if (answer.status !== 201) throw new Error(answer.text);
  expect(answer.body.data.audience).toBe(`${ORIGIN}/${account.accountId}`);
  return answer.body.data.id;
}

const as = (token: string) => new HttpClient(stack.baseUrls[0] ?? "", token);

describe("a token is admitted", () => {
  test.each([
    ["Kubernetes", PLATFORMS.kubernetes, { subject: PLATFORMS.kubernetes.sub }],
    [
      "GitHub Actions",
      PLATFORMS.github,
      { subject: "repo:octo@1/*", claims: { repository_id: "74", ref: "refs/heads/main" } },
    ],
    [
      "GitLab CI",
      PLATFORMS.gitlab,
      { subject: PLATFORMS.gitlab.sub, claims: { project_id: "42", ref_protected: "true" } },
    ],
  ])("as %s makes it", async (_, claims, workload) => {
    const token = tokenOf(claims);
    expect((await as(token).post("/v1/events", EVENT)).status).toBe(401);
    await trust(workload);
    expect((await as(token).post("/v1/events", EVENT)).status).toBe(201);
    const { data } = (await as(token).get("/v1/events")).body;
    expect(data).toMatchObject([{ action: "deploy", actor: { id: "job" } }]);
  });

  test("with 4,096 characters, and none longer", async () => {
    await trust({ subject: PLATFORMS.kubernetes.sub });
    const padded = (length: number) => tokenOf(PLATFORMS.kubernetes, { pad: "x".repeat(length) });
    const spare = 4_096 - padded(0).length;
    const longest = padded(Math.floor((spare * 3) / 4) - 2);
    expect(longest.length).toBeGreaterThan(4_080);
    expect(longest.length).toBeLessThanOrEqual(4_096);
    expect((await as(longest).post("/v1/events", EVENT)).status).toBe(201);
    expect((await as(padded(spare)).post("/v1/events", EVENT)).status).toBe(401);
  });

  test("with the scopes of its workload alone, which the refusal names", async () => {
    await trust({ subject: PLATFORMS.kubernetes.sub, scopes: ["events:write"] });
    const answer = await as(tokenOf(PLATFORMS.kubernetes)).get("/v1/events");
    expect([answer.status, answer.body.error.message]).toEqual([
      403,
      "This operation needs a workload with the scope events:read.",
    ]);
  });
});

test("of requests that begin after a workload was deleted none is admitted, of any number at a time", async () => {
  const id = await trust({ subject: PLATFORMS.kubernetes.sub });
  const client = as(tokenOf(PLATFORMS.kubernetes));
  const counts = { before: 0, hasEnded: false };
  const after = new Map<number, number>();
  const enough = Promise.withResolvers<void>();
  const work = async () => {
    for (let left = 50; left > 0;) {
      const { hasEnded } = counts;
      const { status } = await client.get("/v1/events?limit=1");
      if (hasEnded) after.set(status, (after.get(status) ?? 0) + 1);
      if (hasEnded) left -= 1;
      else if (status === 200 && (counts.before += 1) === 500) enough.resolve();
    }
  };
  const working = Promise.all(Array.from({ length: 16 }, work));
  await enough.promise;
  expect((await account.client.delete(`${WORKLOADS}/${id}`)).status).toBe(204);
  counts.hasEnded = true;
  await working;
  expect(Object.fromEntries(after)).toEqual({ 401: 800 });
});

test("a widget token of a workload ends with it", async () => {
  const id = await trust({ subject: PLATFORMS.kubernetes.sub });
  const client = as(tokenOf(PLATFORMS.kubernetes));
  const made = (await client.post("/v1/widget-tokens", {})).body.data;
  secrets.add(made.token);
  const widget = as(made.token);
  expect((await widget.get("/v1/widget/events")).status).toBe(200);
  expect((await client.get("/v1/widget-tokens")).body.data).toMatchObject([{ id: made.id }]);
  await account.client.delete(`${WORKLOADS}/${id}`);
  expect((await widget.get("/v1/widget/events")).status).toBe(401);
  expect((await account.client.get("/v1/widget-tokens")).body.data).toEqual([]);
});

test("an issuer that leaves the file admits nothing, and works again when it is back", async () => {
  await trust({ subject: PLATFORMS.kubernetes.sub });
  const client = as(tokenOf(PLATFORMS.kubernetes));
  const status = async () => (await client.get("/v1/events")).status;
  expect(await status()).toBe(200);
  useIssuers();
  await eventually("the issuer has left", async () => (await status()) === 401);
  useIssuers("platform");
  await eventually("the issuer is back", async () => (await status()) === 200);
});

test("the audit names the workload, and no token is in a log, a table or a chain", async () => {
  const id = await trust({ subject: PLATFORMS.kubernetes.sub, scopes: ["keys:manage"] });
  const made = await as(tokenOf(PLATFORMS.kubernetes)).post("/v1/api-keys", {
    name: "by a workload",
  });
  expect(made.status).toBe(201);
  await account.client.delete(`${WORKLOADS}/${id}`);
  const { key } = await newKey(stack.databaseUrl, "acct_system", ["events:read"]);
  const system = new HttpClient(stack.baseUrls[0] ?? "", key);
  let entries: { action: string; actor: object; target: { id: string } }[] = [];
  await eventually("the audit has the deletion", async () => {
    entries = (await system.get("/v1/events?order=desc&limit=100")).body.data;
    return entries.some(
      ({ action, target }) => action.endsWith("workload.deleted") && target.id === id,
    );
  });
  expect(entries.filter(({ target }) => target.id === made.body.data.id)).toMatchObject([
    { action: "annals.key.created", actor: { type: "workload", id } },
  ]);
  const owner = ownerOf(stack.databaseUrl);
  const rows = await owner.query("SELECT access_tokens::text AS row FROM keys.access_tokens");
  await owner.close();
  const logs = join(stack.dataDir, "log");
  const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
  const written = [...texts, JSON.stringify(entries), JSON.stringify(rows)].join("\n");
  const parts = [...secrets].flatMap((secret) => secret.split(".").slice(1));
  expect(secrets.size).toBeGreaterThan(5);
  expect(parts.filter((part) => part.length > 10 && written.includes(part))).toEqual([]);
  expect(texts.join("")).toContain("the token of a workload was refused");
});
