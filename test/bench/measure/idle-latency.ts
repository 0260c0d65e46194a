// Measures the latency of one client on an idle service, against the same row inserted and committed
// directly. Called by main.ts.

import { newAccount } from "@annals/testing";
import { bareInsert } from "../bare-insert.ts";
import { singles, smallEvents } from "../bodies.ts";
import { costText, marked } from "../cpu.ts";
import { settle } from "../settle.ts";
import { type Bench, multiple, type Section, time } from "./bench.ts";
import { costedLoad } from "./load.ts";
import { interleaved, medians, medianRatio } from "./interleaved.ts";

export async function measureIdleLatency(bench: Bench): Promise<Section> {
  const { baseUrl, databaseUrl, options } = bench;
  const { turns, turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
  const events = smallEvents();
  const alone = { connections: 1, warmUpMs, measureMs };
  const { key } = await newAccount(databaseUrl);
  const request = { method: "POST", paths: ["/v1/events"], status: 201 } as const;
  const bodies = singles(events);
  bench.say("bare INSERT and COMMIT, and POST /v1/events, one connection");
  const [bare, posted] = await interleaved(turns, [
    async () => {
      await settle(databaseUrl);
      return bareInsert({ databaseUrl, events, size: 1, ...alone });
    },
    () => costedLoad(bench, { ...request, ...alone, baseUrl, bodies, keys: [key] }),
  ]);
  const [insert, post] = [medians(bare), medians(posted)];
  return {
    title: "Latency of an idle service",
    about:
      "One connection, one small event at a time. " +
      "The row of the event is committed in its statement.",
    heads: ["p50", "p99", "p50 in bare INSERTs"],
    results: [
      { what: "bare INSERT and COMMIT", figure: time(insert.p50Ms), p99: time(insert.p99Ms) },
      {
        what: marked("POST /v1/events", posted),
        cost: costText(posted),
        figure: time(post.p50Ms),
        p99: time(post.p99Ms),
        ratio: multiple(medianRatio("p50Ms", posted, bare)),
      },
    ],
  };
}
