// The case of the numbers that a spool gives to accepted events. Run by spool.test.ts.

import { stored } from "./cases.ts";
import { QUIET, type SpoolCase } from "./spool-cases.ts";

export const PRODUCER_CASES: readonly SpoolCase[] = [
  {
    name: "producer numbers: one more for each accepted event, also over a restart, and none for a dropped one",
    fault: "numbers-before-acceptance",
    answer: stored,
    run: async (world) => {
      const open = { ...QUIET, producer: "billing", max_bytes: 2_000 };
      const first = await world.start(open);
      await first.track("a1", "a2");
      const metadata = { text: "x".repeat(2_000) };
      await first.send("track", { event: { action: "b1", metadata } });
      await first.track("a3");
      await first.end();
      const next = await world.start(open);
      await next.track("a4", "a5");
      await next.during("flush", 60_000);
      return [world.actions(), world.producers()];
    },
    seen: [
      ["a1 a2 a3", "a4 a5"],
      [
        { id: "", n: 1, dropped: 0 },
        { id: "", n: 2, dropped: 0 },
        { id: "", n: 3, dropped: 1 },
        { id: "", n: 5, dropped: 1, after: 3 },
        { id: "", n: 6, dropped: 1 },
      ],
    ],
  },
];
