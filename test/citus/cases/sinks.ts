// Cases of the statements of sinks. Called by all.ts. A statement that takes the time has a case with the
// clock's, and one with a time after all others.

import { type Case, type Cases, CLOCK, FUTURE, LAST, LATER } from "./case.ts";

const IDS = ["sink_1", "sink_2", "sink_3", "sink_4", "sink_5", "sink_6", "sink_9"];

/** The same for a sink in each state. */
const ofEach = (...more: readonly unknown[]): Case[] =>
  IDS.map((id) => ({ account }) => [account, id, ...more]);

/** For statements with many parameters, of which each is varied. */
const ofSome = (...more: readonly unknown[]): Case[] =>
  ["sink_2", "sink_9"].map((id) => ({ account }) => [account, id, ...more]);

const SEALED = Buffer.alloc(16, 1);
const NEW = Buffer.alloc(16, 9);
const FILTER = '{"action":["user.deleted"]}';
const MAPPING = '{"user.*":{"class":"account_change"}}';

function newSink(account: string, id: string, filter: string | null, mapping: string | null) {
  const [config, parts] = [
    ["seal_1", SEALED],
    ["context", "metadata"],
  ];
  return [
    account,
    id,
    "s3",
    "ocsf",
    ...config,
    filter,
    parts,
    true,
    mapping,
    "skip",
    true,
    LATER,
    "key_2",
    7n,
  ];
}

/** The same for some sinks, claimed or not, at a time that is later than theirs. */
const claims = (...more: readonly unknown[]): Case[] =>
  ["sink_1", "sink_2"].flatMap((id) =>
    ["0", "2"].map((fence): Case => ({ account }) => [LAST, account, id, fence, ...more]),
  );

const held = (...more: readonly unknown[]): Case[] =>
  ["0", "2"].map((fence): Case => ({ account }) => [CLOCK, account, "sink_1", fence, ...more]);

const moved = (isDelivered: boolean, hasCheckpoint: boolean) =>
  claims("4", "9", isDelivered, "state", "10", "7", hasCheckpoint, "9", "h9", "[]", "{}", 15);

/** Statements of store/sink-progress.ts. */
const PROGRESS: Cases = {
  // These need a claim that has not ended.
  "webhooks.begin-sink-batch": held("8"),
  "webhooks.claim-sink": IDS.map((id): Case => ({ account }) => [LAST, account, id, 15]),
  "webhooks.count-paused-sinks": [() => []],
  "webhooks.fail-sink": [
    ...claims("It answered 503.", 2.5, true, "{}"),
    ...claims("refused", 300, false, null),
  ],
  "webhooks.has-sinks": [({ account }) => [account]],
  "webhooks.list-sinks-at-work": [
    () => [LAST, "", "", 100],
    ({ account }) => [LAST, account, "sink_1", 2],
  ],
  "webhooks.move-sink": [...moved(true, true), ...moved(false, false)],
  "webhooks.narrow-sink": [...claims("{}"), ...claims(null)],
  "webhooks.skip-refused": [
    ...claims("4", "9", "[]", "{}", 15),
    ...claims("4", "9", "[]", null, 15),
  ],
  "webhooks.release-sink": [...claims(5, true), ...claims(0.5, false)],
  "webhooks.renew-sink": held(15),
};

export const SINKS: Cases = {
  "webhooks.count-sinks": [({ account }) => [account]],
  "webhooks.create-sink": [
    ({ account }) => newSink(account, "sink_7", FILTER, null),
    ({ account }) => newSink(account, "sink_8", null, MAPPING),
  ],
  "webhooks.create-operator-sink": ["one", "siem"].map((name): Case => ({ account }) => [
    account,
    `sink_new${name}`,
    name,
    LATER,
    4n,
  ]),
  "webhooks.count-sink-tests": ["2026-01-31T09:30", "2026-01-31T09:31"].map(
    (minute): Case =>
      ({ account }) => [account, minute],
  ),
  "webhooks.delete-sink": ofEach(),
  "webhooks.find-sink": ofEach(),
  "webhooks.list-operator-sinks": [({ accounts }) => [accounts]],
  "webhooks.list-operator-sink-states": [() => ["", "", 100], ({ account }) => [account, "one", 2]],
  "webhooks.replay-operator-sink": ["one", "none"].map((name): Case => ({ account }) => [
    account,
    name,
    "0",
    LAST,
  ]),
  "webhooks.list-sink-filters": [
    ({ account }) => [account, "", 100],
    ({ account }) => [account, "sink_1", 1],
  ],
  "webhooks.list-sinks": [
    ({ account }) => [account, LATER, "sink_3", 2],
    ({ account }) => [account, FUTURE, "sink_9", 100],
  ],
  "webhooks.list-sinks-sealed-by-others": [
    () => ["seal_1", 100, "", ""],
    ({ account }) => ["seal_0", 3, account, "sink_2"],
  ],
  // Without an order it returns any key, so each case leaves one.
  "webhooks.list-unknown-sink-key-ids": [
    () => [["seal_1"]],
    () => [["seal_2"]],
    () => [["seal_1", "seal_2"]],
  ],
  "webhooks.lock-operator-refusals": ["one", "none"].map((name): Case => ({ account }) => [
    account,
    name,
  ]),
  "webhooks.lock-refusals": ofEach(),
  "webhooks.lock-sink": ofEach(),
  "webhooks.replace-sink-config": [
    ({ account }) => [account, "sink_1", SEALED, "seal_3", NEW],
    ({ account }) => [account, "sink_1", NEW, "seal_3", NEW],
  ],
  "webhooks.replace-sink-filter": [...ofEach(FILTER, false), ...ofEach(null, true)],
  "webhooks.replay-sink": [...ofEach(1n, LAST, "key_2"), ...ofEach(0n, LAST, null)],
  "webhooks.skip-record": [
    ...ofEach("9", "[]", "{}", LAST, "key_2"),
    ...ofEach("9", "[]", null, LAST, null),
  ],
  "webhooks.update-sink": [
    ...ofSome(
      "ocsf",
      "seal_3",
      NEW,
      FILTER,
      ["diff"],
      true,
      MAPPING,
      "skip",
      true,
      true,
      true,
      LAST,
      "key_2",
    ),
    ...ofSome(
      "ecs",
      "seal_3",
      NEW,
      null,
      [],
      false,
      null,
      "stop",
      false,
      false,
      false,
      CLOCK,
      null,
    ),
    ...ofSome(
      "ecs",
      "seal_3",
      NEW,
      null,
      [],
      false,
      null,
      "stop",
      true,
      false,
      true,
      LAST,
      "key_2",
    ),
  ],
  ...PROGRESS,
};
