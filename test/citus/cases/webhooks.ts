// Cases of the statements of webhooks but those of deliveries. Called by all.ts. A statement that takes the
// time has a case with the clock's, and one with a time after all others.

import { type Case, type Cases, CLOCK, FUTURE, LAST, LATER } from "./case.ts";

const IDS = ["wh_1", "wh_2", "wh_3", "wh_4", "wh_5", "wh_6", "wh_9"];

/** The same for a webhook in each state. */
const ofEach = (...more: readonly unknown[]): Case[] =>
  IDS.map((id) => ({ account }) => [account, id, ...more]);

/** The first pages, and pages after a webhook, of a read of all accounts. */
const pages = (...more: readonly unknown[]): Case[] => [
  () => ["", "", 100, ...more],
  ({ account }) => [account, "wh_2", 2, ...more],
];

const SEALED = Buffer.alloc(16, 1);
const PREVIOUS = Buffer.alloc(16, 2);
const NEW = Buffer.alloc(16, 9);
const EVENTS = ["event.created", "*"];
const CHECKPOINTS = ["log.checkpointed"];
const EXPORTS = ["export.completed", "*"];
const FILTER = '{"action":["user.deleted"]}';
const EARLIER = '[{"after":"0","filter":null}]';

function newWebhook(account: string, id: string, filter: string | null) {
  const [url, secret, starts] = ["https://example.com/b", ["seal_1", SEALED], [4n, 2n, 1n, 3n]];
  return [account, id, url, ["*"], true, LATER, ...secret, ...starts, "key_2", filter];
}

export const WEBHOOKS: Cases = {
  "webhooks.list-failing-sinks": [() => [10]],
  "webhooks.list-failing-webhooks": [() => [10]],
  "webhooks.report-sinks": [({ accounts }) => [accounts]],
  "webhooks.report-webhooks": [({ accounts }) => [accounts]],
  "webhooks.clear-drops": ofEach(),
  "webhooks.close-queue": ofEach(),
  "webhooks.count-webhook-states": [() => [CLOCK], () => [LAST]],
  "webhooks.count-webhooks": [({ account }) => [account]],
  "webhooks.create-cursors": [({ account }) => [account]],
  "webhooks.create-webhook": [
    ({ account }) => newWebhook(account, "wh_8", FILTER),
    ({ account }) => newWebhook(account, "wh_7", null),
  ],
  "webhooks.delete-webhook": ofEach(FUTURE, "key_2"),
  "webhooks.disable-erased": ofEach("5"),
  "webhooks.disable-failing": [CLOCK, LAST].flatMap((now): Case[] => [
    ({ account, delivery }) => [now, account, "wh_1", 5, delivery(4)],
    ({ account, delivery }) => [now, account, "wh_1", 100_000, delivery(4)],
    ({ account, delivery }) => [now, account, "wh_6", 5, delivery(4)],
  ]),
  "webhooks.erase-expired-secret": [...ofEach(CLOCK), ...ofEach(LAST)],
  "webhooks.find-subscribed": [
    ({ accounts }) => [accounts, EVENTS],
    ({ accounts }) => [accounts, ["verification.completed"]],
  ],
  "webhooks.find-webhook": ofEach(),
  "webhooks.list-checkpoint-subscribers": [
    () => ["", 100, CHECKPOINTS],
    ({ account }) => [account, 1, ["event.created"]],
  ],
  "webhooks.list-deleted": pages(),
  "webhooks.list-empty-queues": pages(),
  "webhooks.list-expired": [...pages(CLOCK, 30), ...pages(LAST, 30), ...pages(CLOCK, 100_000)],
  "webhooks.list-expired-secrets": [...pages(CLOCK), ...pages(LAST)],
  "webhooks.list-sealed-by-others": [
    () => ["seal_1", 100, "", "", false],
    ({ account }) => ["seal_1", 3, account, "wh_4", true],
    ({ account }) => ["seal_0", 3, account, "wh_1", false],
  ],
  "webhooks.list-stopped": pages(),
  "webhooks.list-subscribed-accounts": [
    () => ["", 100, EVENTS, ["verification.completed", "*"], EXPORTS],
    ({ account }) => [account, 1, ["event.created"], ["verification.completed"], EXPORTS],
  ],
  // Without an order it returns any key, so each case leaves one.
  "webhooks.list-unknown-key-ids": [
    () => [["seal_0", "seal_1"]],
    () => [["seal_1", "seal_2"]],
    () => [["seal_0", "seal_1", "seal_2"]],
  ],
  "webhooks.list-webhooks": [
    ({ account }) => [account, LATER, "wh_6", 2],
    ({ account }) => [account, FUTURE, "wh_9", 100],
  ],
  "webhooks.lock-account": [({ account }) => [account]],
  "webhooks.lock-subscribers": [
    ({ account }) => [account, "events", EVENTS, 4n],
    ({ account }) => [account, "events", EVENTS, 8n],
    ({ account }) => [account, "verifications", ["*"], 2n],
    ({ account }) => [account, "exports", EXPORTS, 1n],
    ({ account }) => [account, "checkpoints", CHECKPOINTS, 3n],
  ],
  "webhooks.list-filters": [
    ({ account }) => [account, "", 100],
    ({ account }) => [account, "wh_2", 1],
  ],
  "webhooks.lock-webhook": ofEach(),
  "webhooks.move-cursor": [
    ({ account }) => [account, "events", 10n, 12n],
    ({ account }) => [account, "exports", 3n, 4n],
  ],
  "webhooks.note-health": [CLOCK, LAST].flatMap((now): Case[] =>
    ["wh_1", "wh_3", "wh_6"].flatMap((id) => [
      ({ account }) => [now, account, id, true, "https://example.com/a"],
      ({ account }) => [now, account, id, true, "https://example.com/former"],
    ]),
  ),
  "webhooks.open-queues": [({ account }) => [account, ["wh_6", "wh_4", "wh_3", "wh_9"]]],
  "webhooks.read-cursor": [
    ({ account }) => [account, "events", EVENTS],
    ({ account }) => [account, "verifications", ["verification.completed"]],
    ({ account }) => [account, "exports", EXPORTS],
    ({ account }) => [account, "checkpoints", CHECKPOINTS],
  ],
  "webhooks.read-position": [
    ({ account }) => [account, "events"],
    ({ account }) => [account, "exports"],
  ],
  "webhooks.remove-webhook": ofEach(),
  "webhooks.replace-filters": [...ofEach(FILTER, EARLIER), ...ofEach(null, null)],
  "webhooks.replace-secret": [
    ({ account }) => [account, "wh_1", SEALED, "seal_3", NEW],
    ({ account }) => [account, "wh_1", PREVIOUS, "seal_3", NEW],
    ({ account }) => [account, "wh_1", NEW, "seal_3", NEW],
  ],
  "webhooks.rotate-secret": [CLOCK, LAST].flatMap((now): Case[] => [
    ({ account }) => [account, "wh_1", "seal_3", NEW, 86_400, now, "key_2"],
    ({ account }) => [account, "wh_6", "seal_3", NEW, 0, now, "key_2"],
    ({ account }) => [account, "wh_3", "seal_3", NEW, 86_400, now, "key_2"],
  ]),
  "webhooks.share-webhook": ofEach(),
  "webhooks.take-number": [() => []],
  "webhooks.begin-sink-test": [
    ({ account }) => [CLOCK, account, 45],
    ({ account }) => [LAST, account, 45],
    () => [CLOCK, "acct_without_tests", 45],
  ],
  "webhooks.end-sink-test": [({ account }) => [account, "7"], ({ account }) => [account, "6"]],
  "webhooks.create-anchors": [() => ["witness", ["w1", "w9"]]],
  "webhooks.list-anchors": [() => ["witness", ["w1", "w2", "w9"]]],
  "webhooks.claim-anchor": [
    () => ["witness", "w1", "7", 60],
    () => ["witness", "w1", "8", 60],
    () => ["witness", "w2", "7", 60],
    () => ["bucket", "b1/1", "256", 60],
  ],
  "webhooks.succeed-anchor": [
    () => ["witness", "w1", "9", "checkpoint", 60],
    () => ["bucket", "b1/1", "0", "checkpoint", 3_600],
  ],
  "webhooks.move-anchor": [() => ["witness", "w1", "3"], () => ["witness", "w2", "3"]],
  "webhooks.fail-anchor": [() => ["witness", "w1", 60, 600], () => ["witness", "w2", 60, 600]],
  "webhooks.update-webhook": ["wh_1", "wh_2"].flatMap((id): Case[] =>
    [
      ["a", FILTER, EARLIER],
      ["b", null, null],
    ].map(([path, filter, earlier]) => ({ account, delivery }) => [
      account,
      id,
      `https://example.com/${path}`,
      ["*"],
      true,
      40n,
      41n,
      42n,
      43n,
      true,
      "key_2",
      delivery(4),
      filter,
      "7",
      earlier,
    ]),
  ),
};
