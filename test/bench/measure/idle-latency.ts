// How long one client waits when nobody else is there, against the same row inserted and committed
// by hand.

import { newAccount } from "@annals/testing";
import { bareInsert } from "../bare-insert.ts";
import { singles, smallEvents } from "../bodies.ts";
import { httpLoad } from "../http-load.ts";
import { settle } from "../settle.ts";
import { type Bench, multiple, type Section, time } from "./bench.ts";
import { byTurns, middle, middleShare } from "./turns.ts";

export async function measureIdleLatency(bench: Bench): Promise<Section> {
  const { baseUrl, databaseUrl, options } = bench;
  const { turns, turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
  const events = smallEvents();
  const alone = { connections: 1, warmUpMs, measureMs };
  const { key } = await newAccount(databaseUrl);
  const request = { method: "POST", paths: ["/v1/events"], status: 201 } as const;
  const bodies = singles(events);
  bench.say("bare INSERT and COMMIT, and POST /v1/events, one connection");
  const [bare = [], posted = []] = await byTurns(turns, [
    async () => {
      await settle(databaseUrl);
      return bareInsert({ databaseUrl, events, size: 1, ...alone });
    },
    async () => {
      await settle(databaseUrl);
      return httpLoad({ ...request, ...alone, baseUrl, bodies, keys: [key] });
    },
  ]);
  const [insert, post] = [middle(bare), middle(posted)];
  return {
    title: "Latency of an idle service",
    about:
      "One connection, one small event at a time. " +
      "Both rows of the event are in one statement, committed with it.",
    heads: ["p50", "p99", "p50 in bare INSERTs"],
    results: [
      { what: "bare INSERT and COMMIT", figure: time(insert.p50Ms), p99: time(insert.p99Ms) },
      {
        what: "POST /v1/events",
        figure: time(post.p50Ms),
        p99: time(post.p99Ms),
        ratio: multiple(middleShare("p50Ms", posted, bare)),
      },
    ],
  };
}
