// Guarantee: every statement of an audit outbox that writes names its account, so that a distributed
// PostgreSQL routes it to one server.

import { routingFaults } from "@annals/testing";
import { expect, test } from "vitest";
import { type AuditEntryOf, auditOutbox } from "./audit-outbox.ts";
import type { Database } from "./statement.ts";

test("the statements of an audit outbox", async () => {
  const audit = auditOutbox("export");
  const texts = new Map<string, string>();
  const recorder: Database = {
    run: async ({ name, text }) => {
      texts.set(name, text);
      return [];
    },
  };
  const occurredAt = "2026-01-31T09:30:00.000000Z";
  const entry: AuditEntryOf<"export"> = {
    accountId: "acct_a",
    action: "annals.export.created",
    actor: { type: "service", id: "export" },
    target: { type: "export", id: "exp_a" },
    occurredAt,
  };
  await audit.add(recorder, entry);
  await audit.addCounted(recorder, entry);
  await audit.windows.take(recorder, { account_id: "acct_a", minute: occurredAt });
  for (const { name, text } of [audit.list, audit.remove, audit.windows.list])
    texts.set(name, text);
  expect(texts.size).toBe(6);
  for (const [name, text] of texts) expect([name, routingFaults(text)]).toEqual([name, []]);
});
