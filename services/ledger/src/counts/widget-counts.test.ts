// Guarantee: the times between which a widget token counts by default say nothing of events that its filter
// hides. A token without a filter counts between the times of all events.

import { expect, test } from "vitest";
import type { EventFilter } from "../search/rules/event-filter.ts";
import { timesIn } from "./widget-counts.ts";

const NOW = "2026-05-10T12:00:00.000000Z";
const clock = { nowMicros: () => Date.parse(NOW) * 1_000 };
const OF_ACCOUNT = { earliest: "2001-01-01T00:00:00.000000Z", latest: NOW };

const times = (filter: EventFilter, allowed: EventFilter = filter) =>
  timesIn({ filter, parts: [] }, async () => OF_ACCOUNT, clock)(allowed);

test("of a token that shows each event: those of the account", async () => {
  expect(await times({ actions: [], not: {} })).toEqual(OF_ACCOUNT);
});

test.each<EventFilter>([
  { actions: ["a"] },
  { not: { actorIds: ["u"] } },
  { texts: ["abc"] },
  { receivedTo: NOW },
  { afterSequence: 0n },
])(
  "of a token with a filter: ten years, and five minutes of clocks that are ahead",
  async (filter) => {
    expect(await times(filter)).toEqual({
      earliest: "2016-05-10T12:05:00.000000Z",
      latest: "2026-05-10T12:05:00.000000Z",
    });
  },
);

test("of times that the request or the token names: those, or ten years before the last one", async () => {
  const [occurredFrom, occurredTo] = ["1990-01-01T00:00:00.000000Z", "2000-12-31T00:00:00.000000Z"];
  const filter = { actions: ["a"] };
  expect(await times(filter, { ...filter, occurredFrom, occurredTo })).toEqual({
    earliest: occurredFrom,
    latest: occurredTo,
  });
  expect(await times({ occurredTo })).toEqual({
    earliest: "1991-01-01T00:00:00.000000Z",
    latest: occurredTo,
  });
});
