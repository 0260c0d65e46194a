// How long one client waits when nobody else is there, against the same row inserted and committed
// by hand.

import { newAccount } from "@annals/testing";
import { bareInsert } from "../bare-insert.ts";
import { singles, smallEvents } from "../bodies.ts";
import { httpLoad } from "../http-load.ts";
import { settle } from "../settle.ts";
import { type Bench, type Section, share, time } from "./bench.ts";

export async function measureIdleLatency(bench: Bench): Promise<Section> {
  const { baseUrl, databaseUrl, options } = bench;
  const { warmUpMs, measureMs } = options;
  const events = smallEvents();
  const alone = { connections: 1, warmUpMs: warmUpMs / 2, measureMs: measureMs / 2 };
  bench.say("bare INSERT and COMMIT, one connection");
  await settle(databaseUrl);
  const bare = await bareInsert({ databaseUrl, events, size: 1, ...alone });
  bench.say("POST /v1/events, one connection");
  await settle(databaseUrl);
  const { key } = await newAccount(databaseUrl);
  const request = { method: "POST", paths: ["/v1/events"], status: 201 } as const;
  const posted = await httpLoad({
    ...request,
    ...alone,
    baseUrl,
    bodies: singles(events),
    keys: [key],
  });
  return {
    title: "Latency of an idle service",
    about:
      "One connection, one small event at a time. " +
      "Both rows of the event are in one statement, committed with it.",
    heads: ["p50", "p99", "p50 in bare INSERTs"],
    results: [
      { what: "bare INSERT and COMMIT", figure: time(bare.p50Ms), p99: time(bare.p99Ms) },
      {
        what: "POST /v1/events",
        figure: time(posted.p50Ms),
        p99: time(posted.p99Ms),
        ratio: share(posted.p50Ms, bare.p50Ms),
      },
    ],
  };
}
