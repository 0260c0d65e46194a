// Guarantees: keys admits the token of a workload only if it has verified it with the keys of an issuer of
// the file, for an account that may and does trust it; whatever ends one of these ends the next admission.
// What any gateway says of a token counts for nothing. With a real PostgreSQL and issuers on loopback.

import { MAX_WORKLOAD_TOKEN } from "@annals/contract";
import type { Pool } from "@annals/postgres";
import { Holder } from "@annals/proto/admission";
import type { TestDatabase } from "@annals/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Issuer } from "../../identity/rules/identity.ts";
import { migratedDatabase } from "../../testing/database.ts";
import {
  hmacToken,
  newTokenKey,
  signedToken,
  type TokenClaims,
  unsignedToken,
  WorkloadIssuerServer,
} from "../../testing/workload-issuer.ts";
import {
  claimsFor,
  PUBLIC_URL,
  storeWorkload,
  SUBJECT,
  trustingAccount,
} from "../../testing/workloads.ts";

let owner: TestDatabase;
let service: Pool;
let server: WorkloadIssuerServer;

beforeAll(async () => {
  ({ owner, service } = await migratedDatabase(afterAll));
  server = await WorkloadIssuerServer.start();
});
afterAll(() => server.close());

const trusting = (
  workload: Parameters<typeof trustingAccount>[2] = {},
  ...entries: readonly Issuer[]
) => trustingAccount(service, server, workload, ...entries);

const REFUSED = { kind: "unauthenticated" };

test("a token is unknown until it is registered, and then has what its workload has", async () => {
  const { accountId, admit, register, token, workloadId } = await trusting();
  const one = token();
  expect(await admit(one)).toEqual({});
  await register(one);
  expect(await admit(one)).toMatchObject({
    accountId,
    keyId: workloadId,
    holder: Holder.WORKLOAD,
    scopes: ["events:write"],
    admitted: 1,
    remaining: 59,
    statement: expect.stringMatching(/./),
  });
  expect(await admit(one)).not.toHaveProperty("leaseMs");
});

describe("is refused, and stays unknown", () => {
  const nowS = () => Math.floor(Date.now() / 1_000);

  test.each<[string, (claims: TokenClaims) => string, string]>([
    [
      "of another account",
      (claims) => server.token({ ...claims, aud: `${PUBLIC_URL}/acct_other` }),
      "",
    ],
    [
      "of another installation",
      (claims) => server.token({ ...claims, aud: "https://other/acct_1" }),
      "audience",
    ],
    ["without an audience", (claims) => server.token({ ...claims, aud: undefined }), "audience"],
    [
      "for two accounts",
      (claims) => server.token({ ...claims, aud: [claims["aud"], `${PUBLIC_URL}/acct_2`].flat() }),
      "audience",
    ],
    ["of another issuer", (claims) => server.token({ ...claims, iss: "https://other" }), "issuer"],
    ["of another subject", (claims) => server.token({ ...claims, sub: `${SUBJECT}2` }), "subject"],
    [
      "with a subject that is a list",
      (claims) => server.token({ ...claims, sub: [SUBJECT] }),
      "sub",
    ],
    ["that has expired", (claims) => server.token({ ...claims, exp: nowS() - 31 }), "exp"],
    ["without an end", (claims) => server.token({ ...claims, exp: undefined }), "exp"],
    [
      "for more than a day",
      (claims) => server.token({ ...claims, exp: nowS() + 86_500 }),
      "24 hours",
    ],
    ["that is not valid yet", (claims) => server.token({ ...claims, nbf: nowS() + 90 }), "nbf"],
    ["of another key", (claims) => server.token(claims, newTokenKey()), "no applicable key"],
    [
      "of another key under the same name",
      (claims) =>
        signedToken({ iss: server.issuer, ...claims }, newTokenKey(), { kid: server.keys[0]?.kid }),
      "signature",
    ],
    [
      "that nobody signed",
      (claims) => unsignedToken({ iss: server.issuer, ...claims }, server.keys[0]?.kid ?? ""),
      "no token",
    ],
    [
      "by HMAC with the public key",
      (claims) => {
        const [key] = server.keys;
        const pem = key?.publicKey.export({ format: "pem", type: "spki" }) ?? "";
        return hmacToken({ iss: server.issuer, ...claims }, pem, key?.kid ?? "");
      },
      "alg",
    ],
    [
      "whose payload was changed",
      (claims) => {
        const [head, , signature] = server.token(claims).split(".");
        const changed = JSON.stringify({ iss: server.issuer, ...claims, sub: SUBJECT, more: 1 });
        return [head, Buffer.from(changed).toString("base64url"), signature].join(".");
      },
      "signature",
    ],
    ["that is no token", () => "a.b.c", "audience"],
    [
      "that is too long",
      (claims) => server.token({ ...claims, more: "x".repeat(MAX_WORKLOAD_TOKEN) }),
      "no token",
    ],
  ])("%s", async (_, make, reason) => {
    const { accountId, admit, reasons, register, registry } = await trusting();
    const token = make(claimsFor(accountId));
    await expect(register(token)).rejects.toMatchObject(REFUSED);
    expect(reasons).toEqual([expect.stringContaining(reason)]);
    expect(await admit(token)).toEqual({});
    expect(await registry.metrics()).toMatch(
      /admissions_total\{[^}]*outcome="unknown_key"[^}]*\} 1\n/,
    );
    expect(
      await owner.query("SELECT 1 FROM keys.access_tokens WHERE account_id = $1", [accountId]),
    ).toEqual([]);
  });

  test("and its changed signature has another hash than the registered one", async () => {
    const { admit, register, token } = await trusting();
    const one = token();
    await register(one);
    const other = one.slice(0, -2) + (one.endsWith("AA") ? "BB" : "AA");
    expect(await admit(other)).toEqual({});
    await expect(register(other)).rejects.toMatchObject(REFUSED);
  });
});

describe("the subject and the claims", () => {
  const GITHUB = {
    sub: "repo:octo@1/app@74:ref:refs/heads/main",
    repository_id: "74",
    ref: "refs/heads/main",
  };

  test.each<[string, object, object, boolean]>([
    ["a beginning", { subject: "repo:octo@1/*" }, GITHUB, true],
    ["another beginning", { subject: "repo:octo@2/*" }, GITHUB, false],
    ["a beginning that is the whole", { subject: `${GITHUB.sub}*` }, GITHUB, true],
    [
      "claims that fit",
      { subject: "repo:octo*", claims: { repository_id: "74", ref: GITHUB.ref } },
      GITHUB,
      true,
    ],
    [
      "one that does not",
      { subject: "repo:octo*", claims: { repository_id: "74", ref: "x" } },
      GITHUB,
      false,
    ],
    ["one that is absent", { subject: "repo:octo*", claims: { environment: "x" } }, GITHUB, false],
    ["a number", { subject: "repo:octo*", claims: { id: "74" } }, { ...GITHUB, id: 74 }, false],
    ["a list", { subject: "repo:octo*", claims: { id: "74" } }, { ...GITHUB, id: ["74"] }, false],
    [
      "what every object has",
      { subject: "repo:octo*", claims: { constructor: "x" } },
      GITHUB,
      false,
    ],
  ])("%s", async (_, workload, claims, isTrusted) => {
    const { admit, register, token } = await trusting(workload);
    const one = token(claims);
    const outcome = await register(one).then(
      () => true,
      () => false,
    );
    expect([outcome, (await admit(one))?.admitted]).toEqual([isTrusted, isTrusted ? 1 : undefined]);
  });

  test("of several workloads the oldest that the token fits counts", async () => {
    const { accountId, admit, register, token, workloadId } = await trusting();
    await storeWorkload(service, accountId, { scopes: ["keys:manage"] });
    const one = token();
    await register(one);
    expect(await admit(one)).toMatchObject({ keyId: workloadId, scopes: ["events:write"] });
  });
});

describe("of two clusters that have one name for themselves", () => {
  test("each is the one whose key verifies", async () => {
    const other = await WorkloadIssuerServer.start();
    onTestFinished(() => other.close());
    const second = other.entry({
      name: "second",
      issuer: server.issuer,
      jwksUri: `${other.issuer}/keys`,
    });
    const { accountId, admit, register, token } = await trusting({}, server.entry(), second);
    const ofSecond = signedToken(
      { iss: server.issuer, ...claimsFor(accountId) },
      other.keys[0] ?? newTokenKey(),
    );
    await expect(register(ofSecond)).rejects.toMatchObject(REFUSED);
    // Nobody trusts the second one: its keys are not asked for.
    expect(other.requests).toEqual([]);
    const trusted = await storeWorkload(service, accountId, {
      issuer: "second",
      scopes: ["verify"],
    });
    await register(ofSecond);
    expect(await admit(ofSecond)).toMatchObject({ keyId: trusted, scopes: ["verify"] });
    const first = token();
    await register(first);
    expect(await admit(first)).toMatchObject({ scopes: ["events:write"] });
  });
});
