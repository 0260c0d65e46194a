// Guarantee: the consistency check reports each kind of fault, and none
// where everything is in order. It is the negative control of every test beside it.

import { expect, test } from "vitest";
import { appendFaults, type ChainEvent } from "../system/consistency.ts";
import { LATE, type Outcome, type SentAppend } from "../system/load.ts";
import { retryFaults } from "../system/testbed.ts";

const event = (sequence: number): ChainEvent => ({
  sequence,
  id: `evt_${sequence}`,
  hash: `hash ${sequence}`,
  previousHash: `hash ${sequence - 1}`,
  marker: `m${sequence}`,
});
const outcome = (what: Partial<Outcome>): Outcome => ({ sentAt: 0, tookMs: 1, ...what });
const stored = (sequence: number, isReplay = false): Outcome =>
  outcome({ stored: { ...event(sequence), isReplay } });
const append = (n: number, ...outcomes: Outcome[]): SentAppend => ({
  n,
  marker: `m${n}`,
  idempotencyKey: n % 2 === 0 ? `key ${n}` : undefined,
  outcomes,
});
const refused = (status: number, error: object, retryAfter = "1"): Outcome =>
  outcome({
    refused: { status, headers: { "retry-after": retryAfter }, text: "", body: { error } },
  });
const SERVER_ERROR = { type: "server_error", message: "Try again." };

const CHAIN = [event(1), event(2), event(3), event(4)];
const LOST = outcome({ unanswered: "socket hang up" });
const WELL = [
  append(1, stored(1)),
  append(2, LOST, refused(500, SERVER_ERROR), stored(2, true)),
  append(3, LOST),
  append(4, refused(500, SERVER_ERROR)),
  append(5, LOST),
];

test("no fault where every answer is kept, and what was not answered is there or not", () => {
  expect(appendFaults(WELL, CHAIN)).toStrictEqual([]);
  expect(retryFaults(WELL.slice(1, 2), CHAIN)).toStrictEqual([]);
});

const without = (n: number) => CHAIN.filter(({ sequence }) => sequence !== n);
const twice = [...CHAIN, { ...event(5), marker: "m3" }];
const instead = (...appends: SentAppend[]) => [
  ...WELL.filter(({ n }) => !appends.some((other) => other.n === n)),
  ...appends,
];
const edited = outcome({ stored: { ...event(1), hash: "another", isReplay: false } });

test.each<[string, readonly SentAppend[], readonly ChainEvent[]]>([
  ["acknowledged and lost: 1, such as m1", WELL, without(1)],
  ["stored more than once: 1, such as m3", WELL, twice],
  ["acknowledged with another id", instead(append(1, edited)), CHAIN],
  ["acknowledged with another id", instead(append(1, stored(2))), CHAIN],
  ["stored and never sent: 1, such as number 4", WELL.slice(0, 3), CHAIN],
  ["a replay of what has no idempotency key", instead(append(1, stored(1, true))), CHAIN],
  ["never sent: 1", instead(append(6)), CHAIN],
  [LATE, instead(append(6, outcome({ unanswered: LATE }))), CHAIN],
  ["refused with 502", instead(append(6, refused(502, SERVER_ERROR))), CHAIN],
  ["refused with 500", instead(append(6, refused(500, { type: "not_found" }))), CHAIN],
  ["refused without Retry-After", instead(append(6, refused(500, SERVER_ERROR, ""))), CHAIN],
])("it reports: %s", (sentence, appends, chain) => {
  const faults = appendFaults(appends, chain);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(sentence);
});

test("it reports: a retry that stored again what was there", () => {
  expect(retryFaults([append(2, LOST, stored(5))], CHAIN)).toHaveLength(1);
});
