// Guarantees: the keys of an issuer are fetched when a token needs them, once for all that wait; they are
// kept for ten minutes, and fetched again for an unknown one at most every 30 seconds; while that fails,
// known ones are used for an hour. The operator's token goes to the origin of the operator's URL alone.

import { systemClock } from "@annals/contract";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Issuer } from "../identity/rules/identity.ts";
import { newTokenKey, WorkloadIssuerServer } from "../testing/workload-issuer.ts";
import { loadOpenId } from "./provider-metadata.ts";
import { WorkloadIssuers } from "./workload-issuers.ts";

const AUDIENCE = "https://audit.example.com/acct_1";
const DISCOVERY = "/.well-known/openid-configuration";
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

let server: WorkloadIssuerServer;

beforeEach(async () => {
  server = await WorkloadIssuerServer.start();
  onTestFinished(() => server.close());
});

async function verifierOf(entry: Partial<Issuer> = {}) {
  const { jose } = await loadOpenId();
  const time = { ms: 1_000_000 };
  const issuer = server.entry({ jwksUri: `${server.issuer}/keys`, ...entry });
  const identities = { current: { people: [], workloads: [issuer] } };
  const clock = systemClock();
  const deps = { clock, identities, jose, proxy: {}, monotonicMs: () => time.ms };
  const verify = new WorkloadIssuers(deps).verifierOf(issuer);
  const exp = Math.floor(Date.now() / SECOND_MS) + 600;
  const token = (key = server.keys[0]) => server.token({ aud: AUDIENCE, sub: "s", exp }, key);
  const outcome = async (key?: (typeof server.keys)[number]) =>
    verify(token(key), AUDIENCE).then(
      (verified) => ("claims" in verified ? "verified" : verified.fault),
      (error: Error) => `${error.name}: ${error.message}`,
    );
  return { outcome, time };
}

test("are fetched for the first token, once for all that wait, and kept for ten minutes", async () => {
  const { outcome, time } = await verifierOf();
  expect(server.requests).toEqual([]);
  await Promise.all([outcome(), outcome(), outcome()]);
  time.ms += 10 * MINUTE_MS - 1;
  expect(await outcome()).toBe("verified");
  expect(server.requests).toEqual(["/keys"]);
  time.ms += 1;
  expect(await outcome()).toBe("verified");
  expect(server.requests).toEqual(["/keys", "/keys"]);
});

test("are fetched again for an unknown one, at most every 30 seconds", async () => {
  const { outcome, time } = await verifierOf();
  expect(await outcome()).toBe("verified");
  const next = newTokenKey("RS256");
  server.keys = [next, ...server.keys];
  time.ms += 30 * SECOND_MS - 1;
  expect(await outcome(next)).toContain("no applicable key");
  expect(server.requests).toHaveLength(1);
  time.ms += 1;
  expect(await outcome(next)).toBe("verified");
  for (let n = 0; n < 5; n += 1)
    expect(await outcome(newTokenKey())).toContain("no applicable key");
  expect(server.requests).toHaveLength(2);
});

test("a key that the issuer shows no longer is gone within ten minutes", async () => {
  const { outcome, time } = await verifierOf();
  const [before] = server.keys;
  expect(await outcome(before)).toBe("verified");
  server.keys = [newTokenKey()];
  time.ms += 10 * MINUTE_MS;
  expect(await outcome(before)).toContain("no applicable key");
});

test("known ones are used for an hour while the issuer fails, and no longer", async () => {
  const { outcome, time } = await verifierOf();
  expect(await outcome()).toBe("verified");
  server.status = 500;
  time.ms += 60 * MINUTE_MS - 1;
  expect(await outcome()).toBe("verified");
  expect(server.requests).toHaveLength(2);
  time.ms += 30 * SECOND_MS;
  expect(await outcome()).toMatch(/^FetchFailure: GET .*\/keys: its status is 500$/);
  // Why the last fetch failed is said each time, since the log has no other line of it.
  expect(await outcome()).toMatch(/^FetchFailure: keys are not .*\/keys: its status is 500$/);
  expect(server.requests).toHaveLength(3);
  server.status = 200;
  time.ms += 30 * SECOND_MS;
  expect(await outcome()).toBe("verified");
});

test("are fetched as the only type that an API server of Kubernetes has", async () => {
  const { outcome } = await verifierOf();
  server.keyType = "application/jwk-set+json";
  expect(await outcome()).toBe("verified");
  server.keyType = "text/html";
  expect(await (await verifierOf()).outcome()).toContain("its status is 406");
});

test("are where the discovery document of the issuer says", async () => {
  const { outcome, time } = await verifierOf({ jwksUri: undefined });
  expect(await outcome()).toBe("verified");
  expect(server.requests).toEqual([DISCOVERY, "/keys"]);
  server.named = "https://other.example.com";
  time.ms += 61 * MINUTE_MS;
  expect(await outcome()).toBe("FetchFailure: the discovery document is of another issuer");
});

test("the operator's token is sent to the origin of the operator's URL alone, and read each time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "annals-issuer-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "first\n");
  const { outcome, time } = await verifierOf({ tokenFile });
  await outcome();
  await writeFile(tokenFile, "second\n");
  time.ms += 10 * MINUTE_MS;
  await outcome();
  expect(server.requests).toEqual(["/keys Bearer first", "/keys Bearer second"]);
  const other = await WorkloadIssuerServer.start();
  onTestFinished(() => other.close());
  server.keysAt = `${other.issuer}/keys`;
  const found = await verifierOf({ tokenFile, jwksUri: undefined });
  await found.outcome();
  expect(server.requests.at(-1)).toBe(`${DISCOVERY} Bearer second`);
  expect(other.requests).toEqual(["/keys"]);
});

test.each([
  ["no keys", []],
  ["a key for HMAC", [{ kty: "oct", k: "c2VjcmV0", kid: "x" }]],
  ["keys of another form", [{ kty: "RSA", kid: "x", n: "!", e: "!" }]],
])("with %s no token is verified", async (_, keys) => {
  const { outcome } = await verifierOf();
  server.document = { keys };
  expect(await outcome()).not.toBe("verified");
});
