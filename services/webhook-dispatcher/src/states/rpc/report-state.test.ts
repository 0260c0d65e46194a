// Guarantee: the state of an account has its active webhooks and sinks, which of them fail and since when,
// and how far every sink is; without accounts, those are reported that have failed for longest. More than 100
// accounts are refused.

import type { ReportStateResponse } from "@annals/proto/webhooks";
import { expect, test } from "vitest";
import { newService } from "../../testing/dispatcher.ts";
import { sinkHandlers } from "../../testing/sinks.ts";
import { reportState } from "./report-state.ts";

const OLD = "2026-01-31T09:30:00.000000Z";
const NEWER = "2026-01-31T09:31:00.000000Z";

async function begin() {
  const { database, handlers, subscribed } = await newService();
  const report = async (...accountIds: string[]) =>
    (await handlers.ask<ReportStateResponse>(reportState, { accountIds })).states;
  const fail = (table: "webhooks" | "sinks", id: string, since: string) =>
    database.query(`UPDATE webhooks.${table} SET failing_since = $2 WHERE id = $1`, [id, since]);
  return { database, fail, handlers, report, subscribed };
}

test("says which webhooks and sinks fail, and how far every sink is", async () => {
  const { database, fail, handlers, report, subscribed } = await begin();
  const { accountId, webhook } = await subscribed();
  const { webhook: second } = await handlers.create(accountId);
  await handlers.create(accountId, { active: false });
  const sinks = sinkHandlers(handlers);
  const [one, other] = [await sinks.create(accountId), await sinks.create(accountId)];
  await database.query("UPDATE webhooks.sinks SET cursor = 7 WHERE id = $1", [one.id]);
  await database.query("UPDATE webhooks.sinks SET cursor = 5 WHERE id = $1", [other.id]);
  const healthy = { webhooks: 2, failingWebhooks: 0, webhookFailingSince: "", sinks: 2 };
  expect(await report(accountId)).toMatchObject([
    { accountId, ...healthy, failingSinks: 0, sinkFailingSince: "", sentEvents: 5n },
  ]);
  await fail("webhooks", webhook.id, NEWER);
  await fail("webhooks", second.id, OLD);
  await fail("sinks", one.id, NEWER);
  expect(await report(accountId)).toMatchObject([
    { failingWebhooks: 2, webhookFailingSince: OLD, failingSinks: 1, sinkFailingSince: NEWER },
  ]);
});

test("without accounts, reports those that have failed for longest", async () => {
  const { fail, handlers, report, subscribed } = await begin();
  const [first, second] = [await subscribed(), await subscribed()];
  const sink = await sinkHandlers(handlers).create(second.accountId);
  expect(await report()).toEqual([]);
  await fail("webhooks", first.webhook.id, OLD);
  expect(await report()).toMatchObject([{ accountId: first.accountId, webhookFailingSince: OLD }]);
  await fail("sinks", sink.id, NEWER);
  const found = (await report()).map(({ accountId }) => accountId);
  expect(found.toSorted()).toEqual([first.accountId, second.accountId].toSorted());
});

test("refuses more than 100 accounts", async () => {
  const { report } = await begin();
  const many = Array.from({ length: 101 }, (_, index) => `acct_${index}`);
  await expect(report(...many)).rejects.toThrow("at most 100");
});
