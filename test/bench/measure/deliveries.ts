// Measures webhooks: deliveries per second out of a backlog, against bare HTTPS POSTs to the same receivers,
// and the time from the 201 of an event to its arrival. Called by main.ts;
// compare/deliveries.ts measures the backlog.

import { HttpClient, newAccount } from "@annals/testing";
import { bareHttps } from "../bare-https.ts";
import { smallEvent, smallEvents } from "../bodies.ts";
import { costText, marked, withCost } from "../cpu.ts";
import { type Arrival, Receivers } from "../receivers.ts";
import { sharedClockMs } from "../shared-clock.ts";
import { type Bench, rate, type Result, type Section, multiple, time } from "./bench.ts";

export const RECEIVERS = 4;
/** Requests in flight from one replica of the dispatcher to one webhook, by default. */
const IN_FLIGHT = 10;
/** Events per request that fills the backlog. */
const BATCH = 100;

export async function measureDeliveries(bench: Bench): Promise<Section> {
  const receivers = await Receivers.start(bench.authority, RECEIVERS);
  try {
    bench.say("bare HTTPS POST");
    const bare = await measureBare(bench, receivers);
    bench.say(`webhooks, a backlog for ${RECEIVERS} receivers`);
    const drained = await withCost(bench.processes, () =>
      drainBacklog({ ...bench, backlog: bench.options.backlog }, receivers),
    );
    bench.say("webhooks, from 201 to arrival");
    const alone = await timeEach(bench, receivers);
    const stream = await timeStream(bench, receivers);
    return {
      title: "Webhooks",
      about:
        `${RECEIVERS} HTTPS receivers in one process that answers 204, up to ${IN_FLIGHT} requests ` +
        `in flight to each. The backlog is ${bench.options.backlog.toLocaleString("en")} small events, ` +
        `sent in batches of ${BATCH} to ${RECEIVERS} webhooks: from the first 201 to the last arrival. ` +
        "Bare HTTPS is Node's own client with bodies of that size. Below, one webhook and one connection: " +
        "from the 201 of each event to its arrival.",
      heads: ["deliveries", "p50", "p99", "of bare HTTPS"],
      costOf: "a delivery",
      results: [
        bare.result,
        {
          what: marked(`backlog, ${RECEIVERS} webhooks`, [drained]),
          figure: rate(drained.perSecond),
          ratio: multiple(drained.perSecond / bare.perSecond),
          cost: costText([drained]),
        },
        { what: "201 to arrival, each event after the last arrived", figure: "", ...ends(alone) },
        {
          what: "201 to arrival, each event after the last 201",
          figure: rate(stream.perSecond),
          ...ends(stream.latenciesMs),
        },
      ],
    };
  } finally {
    await receivers.close();
  }
}

async function measureBare({ authority, options }: Bench, { urls }: Receivers) {
  const timestamp = new Date(0).toISOString();
  const payload = { id: "wh_evt_1", event: "event.created", data: smallEvent(0), timestamp };
  const { warmUpMs, measureMs } = options;
  const { perSecond, latenciesMs } = await bareHttps({
    urls,
    ca: authority.cert,
    body: JSON.stringify(payload),
    inFlight: IN_FLIGHT,
    warmUpMs: warmUpMs / 2,
    measureMs: measureMs / 2,
  });
  const result: Result = {
    what: `bare HTTPS POST, ${RECEIVERS} receivers`,
    figure: rate(perSecond),
    ...ends(latenciesMs),
  };
  return { perSecond, result };
}

/** The stack on which webhooks are created. */
type Target = Pick<Bench, "baseUrl" | "databaseUrl">;

/** Delivers `backlog` events to each receiver. They are appended meanwhile. */
export async function drainBacklog(
  target: Target & { readonly backlog: number },
  receivers: Receivers,
): Promise<{ readonly perSecond: number; readonly events: number }> {
  const client = await subscribed(target, receivers.urls);
  const events = smallEvents().slice(0, BATCH);
  const deliveries = target.backlog * RECEIVERS;
  const arriving = receivers.next(deliveries);
  let from: number | undefined;
  for (let sent = 0; sent < target.backlog; sent += BATCH) {
    await post(client, "/v1/events/batch", { events });
    from ??= sharedClockMs();
  }
  const arrivals = await arriving;
  client.close();
  const tookMs = (arrivals.at(-1)?.[1] ?? 0) - (from ?? 0);
  return { perSecond: (deliveries / tookMs) * 1_000, events: deliveries };
}

/** Sends each event after the one before has arrived: no queue forms. */
async function timeEach(bench: Bench, receivers: Receivers): Promise<number[]> {
  const client = await subscribed(bench, receivers.urls.slice(0, 1));
  const latencies: number[] = [];
  for (let sent = 0; sent < bench.options.samples; sent++) {
    const arriving = receivers.next(1);
    await post(client, "/v1/events", smallEvent(sent));
    const answered = sharedClockMs();
    latencies.push(((await arriving)[0]?.[1] ?? 0) - answered);
  }
  client.close();
  return latencies;
}

/** Sends each event after the one before was answered. */
async function timeStream(bench: Bench, receivers: Receivers) {
  const client = await subscribed(bench, receivers.urls.slice(0, 1));
  const events = bench.options.backlog / RECEIVERS;
  const answeredAt = new Map<number, number>();
  const arriving = receivers.next(events);
  const from = sharedClockMs();
  for (let sent = 0; sent < events; sent++) {
    const { data } = await post(client, "/v1/events", smallEvent(sent));
    answeredAt.set(data.sequence_number, sharedClockMs());
  }
  const arrivals = await arriving;
  client.close();
  const took = (arrivals.at(-1)?.[1] ?? 0) - from;
  const latencyOf = ([number, at]: Arrival): number => at - (answeredAt.get(number) ?? 0);
  return { perSecond: (events / took) * 1_000, latenciesMs: arrivals.map(latencyOf) };
}

/** A client of a new account with one webhook for each URL. */
async function subscribed(target: Target, urls: readonly string[]): Promise<HttpClient> {
  const { key } = await newAccount(target.databaseUrl);
  const client = new HttpClient(target.baseUrl, key);
  for (const url of urls) await post(client, "/v1/webhooks", { url, events: ["event.created"] });
  return client;
}

async function post(client: HttpClient, path: string, body: object) {
  const answer = await client.post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was answered ${answer.text.slice(0, 500)}`);
  return answer.body;
}

function ends(latenciesMs: readonly number[]): { p50: string; p99: string } {
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { p50: time(at(0.5)), p99: time(at(0.99)) };
}
