// Guarantee: each role may use exactly the routes of this table, and a refusal names the scope and the role.
// Nobody stores events, and no role is a widget token. A route that is added needs a line here.

import { ROLES, type Role, SCOPES_OF_ROLE } from "@annals/contract";
import { Holder } from "@annals/proto/admission";
import { describe, expect, test } from "vitest";
import { V1 } from "../v1.ts";
import { requireScope } from "./require-scope.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

const VIEWER = words(`
  list-events get-event count-events count-values read-entries get-usage create-widget-token list-widget-tokens delete-widget-token
  create-saved-search list-saved-searches update-saved-search delete-saved-search
`);
const AUDITOR = words(`
  verify-chain create-export list-exports get-export delete-export get-export-content
  list-archives get-archive-events get-archive-evidence
  get-log read-checkpoint read-tile prove-inclusion prove-consistency list-heads
`);
const MANAGER = words(`
  create-api-key list-api-keys update-api-key delete-api-key create-key delete-key
  create-webhook list-webhooks update-webhook delete-webhook list-deliveries
  test-webhook replay-delivery replay-events rotate-secret
  create-sink list-sinks get-sink update-sink delete-sink test-sink replay-sink skip-sink-record get-sink-status
  create-erasure list-erasures get-erasure cancel-erasure place-hold list-holds release-hold
  get-retention set-retention
  create-role-mapping list-role-mappings delete-role-mapping list-people
  create-workload list-workloads delete-workload
  create-search-field list-search-fields delete-search-field list-search-paths
`);
const NOBODY = words(`
  create-event create-event-batch store-kubernetes-audit store-cloudevents store-otlp-logs
  list-widget-events get-widget-event list-widget-filters count-widget-events count-widget-values get-widget-log
`);

const ALLOWED: Readonly<Record<Role, readonly string[]>> = {
  viewer: VIEWER,
  auditor: [...VIEWER, ...AUDITOR],
  manager: [...VIEWER, ...AUDITOR, ...MANAGER],
};

test("the table has each route once", () => {
  const named = [...ALLOWED.manager, ...NOBODY];
  expect(named.toSorted()).toEqual(V1.map(([, , , name]) => name).toSorted());
});

describe.each(ROLES)("%s", (role) => {
  const admission = {
    scopes: SCOPES_OF_ROLE[role],
    holder: Holder.PERSON,
    person: { role } as never,
  };

  test.each(V1.map((row) => ({ name: row[3], scope: row[2] })))("$name", ({ name, scope }) => {
    const check = (): void => requireScope(admission, scope);
    if (ALLOWED[role].includes(name)) check();
    else expect(check).toThrow(`This operation needs the scope ${scope}. Your role is ${role}.`);
  });
});
