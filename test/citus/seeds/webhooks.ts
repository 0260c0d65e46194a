// The rows of webhooks with which each statement begins. Called by databases.ts.

import { FUTURE, LATER, LONG_AGO } from "../cases/case.ts";
import { auditSeeds, requestSeeds } from "./audit.ts";
import type { SeedRow, SeedsOf } from "./seeds.ts";

const SEALED = `\\x${"01".repeat(16)}`;
const PREVIOUS = `\\x${"02".repeat(16)}`;
const NUMBERS = 100;

/** The number of a delivery of the account of that index, by its place in {@link DELIVERIES}. */
export const deliveryNumber = (index: number, place: number): number =>
  (index + 1) * NUMBERS + place;

const WEBHOOK = {
  url: "https://example.com/a",
  events: ["event.created", "export.completed"],
  active: true,
  created_at: LONG_AGO,
  secret_key_id: "seal_1",
  secret_sealed: SEALED,
  previous_secret_key_id: null,
  previous_secret_sealed: null,
  previous_secret_until: null,
  after_events: 4,
  after_verifications: 2,
  after_exports: 1,
  after_checkpoints: 3,
  filter: null,
  filter_after: 0,
  earlier_filters: null,
  stopped_up_to: 0,
  is_drained: false,
  first_success_at: LONG_AGO,
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
  created_by: "key_1",
  updated_by: null,
  deleted_by: null,
  deleted_at: null,
};

const ROTATED = { previous_secret_key_id: "seal_0", previous_secret_sealed: PREVIOUS };

const FILTERED = {
  filter: '{"actor_id":["u_1"]}',
  filter_after: 6,
  earlier_filters: '[{"after":"0","filter":{"actor_id":["u_2"]}}]',
};

const GONE = {
  active: false,
  deleted_at: LATER,
  deleted_by: "key_1",
  secret_key_id: null,
  secret_sealed: null,
};

/** Each account has all of them. `stopped_up_to` is a place in {@link DELIVERIES}. */
const WEBHOOKS: Readonly<Record<string, SeedRow & { readonly stopped_up_to?: number }>> = {
  wh_1: { ...ROTATED, previous_secret_until: FUTURE, failing_since: LONG_AGO, ...FILTERED },
  wh_2: { active: false, disabled_at: LATER, disabled_reason: "failing", stopped_up_to: 8 },
  wh_3: { ...GONE },
  wh_4: { ...ROTATED, previous_secret_until: LONG_AGO, is_drained: true, events: ["*"] },
  wh_5: { ...GONE },
  wh_6: {
    events: ["event.created", "export.completed", "log.checkpointed"],
    first_success_at: null,
    secret_key_id: "seal_2",
    created_at: LATER,
    after_events: 9,
  },
};

const DELIVERY = {
  event: "event.created",
  position: 5,
  body: null,
  bytes: 100,
  created_at: LONG_AGO,
  attempts: 0,
  succeeded: false,
  status_code: null,
  attempted_at: null,
  due_at: LONG_AGO,
  leased_until: null,
  fence: 0,
};

const ATTEMPTED = { attempts: 1, status_code: 500, attempted_at: LONG_AGO };
const FINISHED = { attempts: 2, succeeded: true, status_code: 200, attempted_at: LONG_AGO };

/** Each account has them, in the order of their places. */
const DELIVERIES: readonly (SeedRow & { readonly webhook_id: string })[] = [
  { webhook_id: "wh_1", ...FINISHED, due_at: null },
  { webhook_id: "wh_1" },
  // The lease of the first has ended, that of the second has not.
  { webhook_id: "wh_1", ...ATTEMPTED, due_at: LATER, leased_until: LATER, fence: 3 },
  { webhook_id: "wh_1", due_at: "2020-01-01T00:00:00Z", leased_until: FUTURE, fence: 7 },
  { webhook_id: "wh_1", due_at: FUTURE, position: null, event: "test", body: "\\x7b7d" },
  { webhook_id: "wh_2", due_at: "2020-01-02T00:00:00Z" },
  { webhook_id: "wh_2", ...ATTEMPTED, body: "\\x7b7d" },
  { webhook_id: "wh_2", ...FINISHED, due_at: null },
  { webhook_id: "wh_2", ...FINISHED, due_at: null, attempted_at: FUTURE },
  { webhook_id: "wh_5" },
  { webhook_id: "wh_5", ...FINISHED, due_at: null },
];

const SINK = {
  operator: null,
  type: "http",
  format: "annals",
  config_key_id: "seal_1",
  config_sealed: SEALED,
  filter: null,
  leave_out: ["diff"],
  include_proof: false,
  mapping: null,
  active: true,
  created_at: LONG_AGO,
  created_by: "key_1",
  updated_by: null,
  cursor: 4,
  pending_to: null,
  replays: 0,
  receiver_state: null,
  checkpoint_from: 3,
  checkpoint_count: 2,
  checkpoint_at: LONG_AGO,
  sent_number: 4,
  sent_hash: "h4",
  due_at: LONG_AGO,
  leased_until: null,
  fence: 2,
  attempts: 0,
  failing_since: null,
  failure_recorded: false,
  last_error: null,
  last_delivered_at: LONG_AGO,
  lost: null,
};

/** Each account has all of them. */
const SINKS: Readonly<Record<string, SeedRow>> = {
  sink_1: { filter: '{"actor_id":["u_1"]}', leased_until: FUTURE, pending_to: 9 },
  sink_2: { attempts: 3, failing_since: LONG_AGO, failure_recorded: true, last_error: "refused" },
  sink_3: { active: false, config_key_id: "seal_2", config_sealed: PREVIOUS, created_at: LATER },
  sink_4: {
    type: "s3",
    receiver_state: "{}",
    replays: 1,
    lost: '[{"from":1,"to":2}]',
    due_at: FUTURE,
  },
  sink_6: {
    operator: "one",
    type: null,
    format: null,
    config_key_id: null,
    config_sealed: null,
    created_at: LATER,
  },
  sink_5: { cursor: 0, sent_number: null, sent_hash: null, last_delivered_at: null },
};

export const webhooksSeeds: SeedsOf = (accounts) => ({
  webhooks: accounts.flatMap((account_id, index) =>
    Object.entries(WEBHOOKS).map(([id, { stopped_up_to: place, ...webhook }]) => ({
      account_id,
      id,
      ...WEBHOOK,
      ...webhook,
      stopped_up_to: place === undefined ? 0 : deliveryNumber(index, place),
    })),
  ),
  cursors: accounts.flatMap((account_id) =>
    [
      ["events", 10],
      ["verifications", 5],
      ["exports", 2],
      ["checkpoints", 6],
    ].map(([kind, position]) => ({ account_id, kind, position })),
  ),
  deliveries: accounts.flatMap((account_id, index) =>
    DELIVERIES.map((delivery, place) => ({
      account_id,
      number: deliveryNumber(index, place),
      id: `del_${place}`,
      payload_id: `pay_${place}`,
      ...DELIVERY,
      ...delivery,
    })),
  ),
  drops: accounts.map((account_id) => ({
    account_id,
    webhook_id: "wh_1",
    count: 7,
    first_sequence_number: 2,
    last_sequence_number: 9,
    last_at: LONG_AGO,
  })),
  sinks: accounts.flatMap((account_id) =>
    Object.entries(SINKS).map(([id, sink]) => ({ account_id, id, ...SINK, ...sink })),
  ),
  sink_tests: accounts.map((account_id, at) => ({
    account_id,
    fence: 7,
    until: at % 2 === 0 ? LONG_AGO : FUTURE,
  })),
  anchors: (
    [
      ["witness", "w1", 7, null, LONG_AGO, null],
      ["witness", "w2", 7, "checkpoint", FUTURE, LONG_AGO],
      ["witness", "w3", 8, null, LONG_AGO, null],
      ["timestamp", "w1", 8, null, LONG_AGO, null],
      ["bucket", "b1/1", 256, null, LONG_AGO, null],
    ] as const
  ).map(([kind, name, size, checkpoint, due_at, failing_since]) => ({
    kind,
    name,
    size,
    checkpoint,
    due_at,
    failing_since,
  })),
  ...auditSeeds(accounts),
  ...requestSeeds(accounts),
});
