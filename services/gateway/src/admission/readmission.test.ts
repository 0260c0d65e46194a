// Guarantee: what goes on for long, a body or a download, is admitted again with the role that the person has
// by then, and ends if that lacks the scope of the route.

import { SCOPES_OF_ROLE, type Role } from "@annals/contract";
import { expect, test } from "vitest";
import { type AdmissionHookOptions, admissionHook, readmitAfterBody } from "./hook.ts";

const admissionAs = (role: Role) => ({
  accountId: "acct_1",
  keyId: "usr_1",
  isAfterBody: false,
  limit: 120,
  person: { role },
  remaining: 1,
  scopes: SCOPES_OF_ROLE[role],
});

/** A request for a route with the scope `export`, admitted as an auditor. */
async function admitted(later: Role) {
  const hook = admissionHook({
    admissions: {
      admit: async () => admissionAs("auditor"),
      readmit: async () => admissionAs(later),
    },
    inFlight: { addressOf: () => "a", begin: () => {}, ended: () => {}, authenticated: () => {} },
    ipOf: () => "::1",
    widgetRateLimitPerMinute: 1,
  } as unknown as AdmissionHookOptions);
  const request = {
    headers: {},
    raw: { rawHeaders: [] },
    routeOptions: { config: { scope: "export" } },
  } as unknown as Parameters<typeof hook>[0];
  const reply = { header: () => reply, headers: () => reply } as unknown as Parameters<
    typeof hook
  >[1];
  await hook(request, reply);
  return { request, reply };
}

const REFUSED = {
  kind: "scope_missing",
  message: "This operation needs the scope export. Your role is viewer.",
};

test("a role that has the scope goes on", async () => {
  const { request } = await admitted("manager");
  expect(await request.readmit()).toMatchObject({ person: { role: "manager" } });
});

test("a role that lacks the scope ends a download", async () => {
  const { request } = await admitted("viewer");
  await expect(request.readmit()).rejects.toMatchObject(REFUSED);
});

test("a role that lacks the scope does nothing with a body that arrived late", async () => {
  const { reply, request } = await admitted("viewer");
  const ended = new Promise((next) => readmitAfterBody(request, reply, next));
  expect(await ended).toMatchObject(REFUSED);
  expect(request.admission).toMatchObject({ person: { role: "auditor" } });
});
