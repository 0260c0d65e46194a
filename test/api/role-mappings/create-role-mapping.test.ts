// POST /v1/role-mappings gives a role of the account to a group of an identity provider, or to one of its
// subjects (docs/interface.md). What the operator's file has not is 422.

import { newClient } from "@annals/testing";
import { describe, expect, inject, test } from "vitest";
import { expectRefused } from "../refusal.ts";

const { client } = await newClient(inject("stack"));
const PATH = "/v1/role-mappings";
const VIEWER = { provider: "okta", group: "readers", role: "viewer" };

describe("201", () => {
  test.each([
    ["a group", { group: "readers" }, { group: "readers", subject: null }],
    ["a subject", { subject: "00u1 ä" }, { group: null, subject: "00u1 ä" }],
  ])("for %s, and the list shows it", async (_, holder, shown) => {
    const one = await newClient(inject("stack"));
    const answer = await one.client.post(PATH, { provider: "okta", role: "auditor", ...holder });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^rmap_[0-9a-z]{26}$/),
      provider: "okta",
      ...shown,
      role: "auditor",
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await one.client.get(PATH)).body.data).toEqual([answer.body.data]);
  });
});

describe("422", () => {
  test.each<[string, object, string]>([
    ["no provider", { group: "readers", role: "viewer" }, "provider"],
    ["a provider that is not in the file", { ...VIEWER, provider: "entra" }, "provider"],
    ["a provider of another type", { ...VIEWER, provider: 1 }, "provider"],
    ["no role", { provider: "okta", group: "readers" }, "role"],
    ["a role that there is not", { ...VIEWER, role: "operator" }, "role"],
    ["a role of another case", { ...VIEWER, role: "Viewer" }, "role"],
    ["an empty group", { ...VIEWER, group: "" }, "group"],
    ["a group of 256 characters", { ...VIEWER, group: "g".repeat(256) }, "group"],
    ["a subject that is null", { ...VIEWER, subject: null }, "subject"],
    ["neither a group nor a subject", { provider: "okta", role: "viewer" }, ""],
    ["both", { ...VIEWER, subject: "00u1" }, ""],
    ["an unknown member", { ...VIEWER, email: "ada@example.com" }, "email"],
  ])("%s", async (_, body, field) => {
    expectRefused(await client.post(PATH, body), "validation_error", { field });
  });

  test("nothing was added", async () => {
    expect((await client.get(PATH)).body.data).toEqual([]);
  });
});
