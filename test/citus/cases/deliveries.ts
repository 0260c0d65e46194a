// Cases of the statements of deliveries. Called by all.ts.

import { type Case, type Cases, CLOCK, LAST, LATER } from "./case.ts";

const FIRST_DUE = "2020-01-01T00:00:00Z";

/** The piece of each webhook that the clean-up works on. */
const pieces = (more: (delivery: (place: number) => string) => readonly unknown[]): Case[] =>
  ["wh_1", "wh_2", "wh_5", "wh_6"].flatMap((id): Case[] =>
    [1, 100].map((limit) => ({ account, delivery }) => [account, id, limit, ...more(delivery)]),
  );

/** Three claims: one whose lease has ended, one in flight, and one that another process has taken since. */
const CLAIMS = [
  { webhook: "wh_1", place: 2, dueAt: LATER, fence: "3" },
  { webhook: "wh_1", place: 3, dueAt: FIRST_DUE, fence: "7" },
  { webhook: "wh_1", place: 3, dueAt: FIRST_DUE, fence: "6" },
];

const columnsOfClaims = (account: string, delivery: (place: number) => string): unknown[] => [
  [account],
  CLAIMS.map(() => account),
  CLAIMS.map(({ webhook }) => webhook),
  CLAIMS.map(({ dueAt }) => dueAt),
  CLAIMS.map(({ place }) => delivery(place)),
  CLAIMS.map(({ fence }) => fence),
];

const claim =
  (now: string, since: string, slots: number): Case =>
  ({ accounts }) => [
    now,
    accounts,
    accounts.flatMap((account) => [account, account, account]),
    accounts.flatMap(() => ["wh_1", "wh_2", "wh_6"]),
    accounts.flatMap(() => [since, since, since]),
    accounts.flatMap(() => [slots, slots, slots]),
    3_600,
    [60, 300, 900],
  ];

const results = (now: string, successes: readonly boolean[], disableAfterDays: number): Case => {
  const codes = successes.map((success, index) => (success ? 200 : index === 0 ? 500 : null));
  return ({ account, delivery }) => [
    now,
    [3_600, 86_400],
    ...columnsOfClaims(account, delivery),
    successes,
    codes,
    disableAfterDays,
    ["https://example.com/a", "https://example.com/former", "https://example.com/a"],
    [null, "status", "timeout"],
  ];
};

export const DELIVERIES: Cases = {
  "webhooks.claim-deliveries": [
    claim(CLOCK, "-infinity", 1),
    claim(CLOCK, "-infinity", 10),
    claim(LAST, "-infinity", 10),
    claim(CLOCK, "2020-02-01T00:00:00Z", 10),
  ],
  "webhooks.count-pending": [({ account }) => [account]],
  "webhooks.create-deliveries": [CLOCK, LAST].map((now) => ({ account }) => [
    account,
    ["wh_1", "wh_6", "wh_1"],
    ["del_a", "del_b", "del_c"],
    ["pay_a", "pay_b", "pay_c"],
    ["event.created", "test", "event.created"],
    [11n, 0n, 12n],
    [10, 20, 30],
    [null, '{"ünïcode":"✓"}', null],
    now,
  ]),
  "webhooks.delete-finished": [
    ...pieces(() => [CLOCK, 30]),
    ...pieces(() => [LAST, 30]),
    ...pieces(() => [CLOCK, 100_000]),
  ],
  "webhooks.delete-unattempted": [
    ...pieces((delivery) => [delivery(9), CLOCK]),
    ...pieces((delivery) => [delivery(4), LAST]),
  ],
  "webhooks.find-delivery": [
    ({ account }) => [account, "wh_2", "del_7", 100],
    ({ account }) => [account, "wh_2", "del_7", 1],
    ({ account }) => [account, "wh_1", "del_1", 100],
  ],
  "webhooks.find-due-webhooks": [CLOCK, LAST].flatMap((now): Case[] => [
    () => [now, "", "", 100],
    ({ account }) => [now, account, "wh_1", 2],
  ]),
  "webhooks.has-pending-deliveries": ["wh_1", "wh_2", "wh_6"].map((id) => ({ account }) => [
    account,
    id,
  ]),
  "webhooks.clear-body": [
    ({ account, delivery }) => [account, "wh_1", delivery(4)],
    ({ account, delivery }) => [account, "wh_1", delivery(0)],
  ],
  "webhooks.list-bodies": [
    ({ account }) => [account, "", "0", "test", 100],
    ({ account, delivery }) => [account, "wh_1", delivery(8), "test", 1],
  ],
  "webhooks.list-deliveries": [
    ({ account, delivery }) => [account, "wh_2", BigInt(delivery(8)), 1],
    ({ account }) => [account, "wh_2", 9_999n, 100],
    ({ account }) => [account, "wh_1", 9_999n, 100],
  ],
  "webhooks.measure-backlog": [() => [CLOCK], () => [LAST]],
  "webhooks.record-drops": [CLOCK, LAST].map((now) => ({ account }) => [
    account,
    ["wh_6", "wh_1"],
    [3, 5],
    [null, 1n],
    [null, 12n],
    now,
  ]),
  "webhooks.record-results": [
    results(CLOCK, [false, true, true], 0),
    results(LAST, [false, true, true], 5),
    results(CLOCK, [true, false, false], 100_000),
    results(LAST, [true, false, false], 5),
  ],
  "webhooks.release-claims": [CLOCK, LAST].flatMap((now): Case[] => [
    ({ account, delivery }) => [now, ...columnsOfClaims(account, delivery), [0, 3_600, 0]],
    ({ account, delivery }) => [now, ...columnsOfClaims(account, delivery), [3_600, 0, 0]],
  ]),
  "webhooks.settle-attempted": [
    ...pieces((delivery) => [delivery(9), CLOCK]),
    ...pieces((delivery) => [delivery(4), LAST]),
  ],
};
