// POST /v1/workloads trusts programs of an issuer by their subject and their claims (docs/interface.md). What
// the operator's file has not, and what would trust too many, is 422.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/workloads";
const SUBJECT = "system:serviceaccount:logging:collector";
const COLLECTOR = {
  name: "collector",
  issuer: "cluster",
  subject: SUBJECT,
  scopes: ["events:write"],
};

const claims = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`claim_${at}`, "x"]));

describe("201", () => {
  test.each<[string, object, object]>([
    ["a subject", {}, {}],
    ["a beginning of 8 characters", { subject: "repo:oct*" }, { subject: "repo:oct*" }],
    [
      "a subject of 1,024 characters",
      { subject: "s".repeat(1_024) },
      { subject: "s".repeat(1_024) },
    ],
    ["10 claims", { claims: claims(10) }, { claims: claims(10) }],
    [
      "a claim of 255 characters",
      { claims: { ["n".repeat(255)]: "ä".repeat(255) } },
      { claims: { ["n".repeat(255)]: "ä".repeat(255) } },
    ],
    [
      "scopes, each once and in order",
      { scopes: ["verify", "events:read", "verify"] },
      { scopes: ["events:read", "verify"] },
    ],
    ["addresses", { allowed_ips: ["192.0.2.0/24"] }, { allowed_ips: ["192.0.2.0/24"] }],
    ["a name that is trimmed", { name: "  collector " }, {}],
  ])("for %s, and the list shows it", async (_, given, shown) => {
    const one = await newClient(inject("stack"));
    const answer = await one.client.post(PATH, { ...COLLECTOR, ...given });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^wkl_[0-9a-z]{26}$/),
      ...COLLECTOR,
      claims: {},
      audience: `https://audit.invalid/${one.accountId}`,
      created_at: expect.stringMatching(/Z$/),
      ...shown,
    });
    expect((await one.client.get(PATH)).body.data).toEqual([answer.body.data]);
  });
});

describe("422", () => {
  test.each<[string, object, string]>([
    ["no name", { name: undefined }, "name"],
    ["a name of spaces", { name: " " }, "name"],
    ["no issuer", { issuer: undefined }, "issuer"],
    ["an issuer that is not in the file", { issuer: "other" }, "issuer"],
    ["the URL of an issuer", { issuer: "https://cluster.invalid" }, "issuer"],
    ["no subject", { subject: undefined }, "subject"],
    ["an empty subject", { subject: "" }, "subject"],
    ["a subject of 1,025 characters", { subject: "s".repeat(1_025) }, "subject"],
    ["a subject with a line", { subject: "a\nb" }, "subject"],
    ["a beginning of 7 characters", { subject: "repo:oc*" }, "subject"],
    ["any subject", { subject: "*" }, "subject"],
    ["a * within the subject", { subject: "repo:octo/*:ref" }, "subject"],
    ["two * at the end", { subject: "repo:octo/**" }, "subject"],
    ["11 claims", { claims: claims(11) }, "claims"],
    ["a claim that is a number", { claims: { id: 7 } }, "claims.id"],
    ["a claim that is empty", { claims: { id: "" } }, "claims.id"],
    ["a claim of 256 characters", { claims: { id: "x".repeat(256) } }, "claims.id"],
    ["a claim with a line", { claims: { id: "a\nb" } }, "claims.id"],
    ["a claim with a name of 256 characters", { claims: { ["n".repeat(256)]: "x" } }, "claims"],
    ["a claim without a name", { claims: { "": "x" } }, "claims"],
    ["claims in a list", { claims: ["a"] }, "claims"],
    ["no scopes", { scopes: [] }, "scopes"],
    ["a scope that there is not", { scopes: ["admin"] }, "scopes[0]"],
    ["an address that is none", { allowed_ips: ["x"] }, "allowed_ips[0]"],
    ["an unknown member", { audience: "x" }, "audience"],
  ])("%s", async (_, change, field) => {
    expectRefused(await client.post(PATH, { ...COLLECTOR, ...change }), "validation_error", {
      field,
    });
  });

  test("nothing was added", async () => {
    expect((await client.get(PATH)).body.data).toEqual([]);
  });
});
