// Measures sinks: events per second out of a backlog by type, appends while three sinks send what they
// store, and another account's webhooks while a sink recovers. Called by main.ts. The receivers answer at
// once and keep nothing, so the figures are those of the services.

import { eventually, HttpClient, newAccount } from "@annals/testing";
import { batches, smallEvents } from "../bodies.ts";
import { costText, marked, withCost } from "../cpu.ts";
import { Receivers } from "../receivers.ts";
import { drainBacklog, RECEIVERS } from "./deliveries.ts";
import { type Bench, multiple, rate, type Result, type Section, shown } from "./bench.ts";
import { interleaved, medianRatio, medians } from "./interleaved.ts";
import { costedLoad } from "./load.ts";

const BATCH = 100;
const CONNECTIONS = 8;
const SENT_WITHIN_MS = 600_000;
/** A sink begins anew before it has sent the chain. */
const AGAIN_MS = 2_000;

/** What is measured, for the address of a receiver. */
const SINKS: readonly (readonly [what: string, sink: (url: string) => object])[] = [
  ["http, JSON Lines", (url) => ({ type: "http", config: { url } })],
  ["http, JSON Lines, OCSF", (url) => ({ type: "http", format: "ocsf", config: { url } })],
  ["splunk_hec", (url) => ({ type: "splunk_hec", config: { url, token: "bench" } })],
  ["otlp_http", (url) => ({ type: "otlp_http", config: { url } })],
  [
    "s3",
    (url) => ({
      type: "s3",
      config: {
        bucket: "bench",
        region: "eu-central-1",
        endpoint: url,
        credentials: { access_key_id: "bench", secret_access_key: "bench" },
      },
    }),
  ],
];

export async function measureSinks(bench: Bench): Promise<Section> {
  const receivers = await Receivers.start(bench.authority, 1);
  const [url = ""] = receivers.urls;
  try {
    const events = bench.options.exported;
    bench.say(`a chain of ${events} events for sinks`);
    const account = await newAccount(bench.databaseUrl);
    const client = new HttpClient(bench.baseUrl, account.key);
    await append(client, events);
    const results: Result[] = [];
    for (const [what, sink] of SINKS) {
      bench.say(`sink ${what}`);
      const drained = await withCost(bench.processes, () => drain(client, sink(url), events));
      results.push({
        what: marked(what, [drained]),
        figure: rate(drained.perSecond),
        cost: costText([drained]),
      });
    }
    results.push(...(await appendsWithSinks(bench, url)));
    results.push(...(await deliveriesDuringRecovery(bench, client, url)));
    client.close();
    return {
      title: "Sinks",
      about:
        `A chain of ${events.toLocaleString("en")} small events is sent from its start to an HTTPS receiver that answers ` +
        "204 and keeps nothing, until the cursor is at the head. Below, batches of 100 events to one key over " +
        `${CONNECTIONS} connections, without sinks, and with three of them (http, splunk_hec, otlp_http) that send them ` +
        "meanwhile. Last, the webhooks of another account, and the same while a sink sends the chain again and again.",
      heads: ["events", "p50", "p99", "of without sinks"],
      results,
    };
  } finally {
    await receivers.close();
  }
}

/** Resolves when a sink of all events has sent them. */
async function drain(client: HttpClient, sink: object, events: number) {
  const begun = performance.now();
  const id = await create(client, { ...sink, from: "start" });
  const status = async () => (await client.get(`/v1/sinks/${id}/status`)).body.data;
  await eventually(
    "the sink has sent all",
    async () => (await status()).cursor >= events,
    SENT_WITHIN_MS,
  );
  const seconds = (performance.now() - begun) / 1_000;
  await client.delete(`/v1/sinks/${id}`);
  return { events, perSecond: events / seconds };
}

async function appendsWithSinks(bench: Bench, url: string): Promise<Result[]> {
  const { baseUrl, databaseUrl, options } = bench;
  const { turns, turnWarmUpMs: warmUpMs, turnMs: measureMs } = options;
  const bodies = batches(smallEvents(), BATCH);
  const run = async (sinks: typeof SINKS) => {
    const { key } = await newAccount(databaseUrl);
    const client = new HttpClient(baseUrl, key);
    for (const [, sink] of sinks) await create(client, sink(url));
    const shape = { connections: CONNECTIONS, warmUpMs, measureMs };
    const request = { method: "POST", paths: ["/v1/events/batch"], status: 201 } as const;
    const job = { ...request, ...shape, baseUrl, bodies, keys: [key] };
    const figures = await costedLoad(bench, job, BATCH);
    const { body } = await client.get("/v1/sinks");
    for (const { id } of body.data) await client.delete(`/v1/sinks/${id}`);
    client.close();
    return figures;
  };
  bench.say("appends without sinks, and with three of them");
  const three = SINKS.filter(([what]) => !what.includes("OCSF") && what !== "s3");
  const [without, withThree] = await interleaved(turns, [() => run([]), () => run(three)]);
  const ratio = multiple(medianRatio("perSecond", withThree, without));
  return [
    {
      what: marked("batches of 100, without sinks", without),
      ...shown(medians(without)),
      cost: costText(without),
    },
    {
      what: marked("batches of 100, three sinks", withThree),
      ...shown(medians(withThree)),
      ratio,
      cost: costText(withThree),
    },
  ];
}

/** The webhooks of another account, and the same while a sink has a backlog all the time. */
async function deliveriesDuringRecovery(
  bench: Bench,
  client: HttpClient,
  url: string,
): Promise<Result[]> {
  const receivers = await Receivers.start(bench.authority, RECEIVERS);
  const { backlog, turns } = bench.options;
  const deliver = async () => {
    const { perSecond } = await drainBacklog({ ...bench, backlog }, receivers);
    return { perSecond, p50Ms: 0, p99Ms: 0 };
  };
  const whileRecovering = async () => {
    const id = await create(client, { type: "http", config: { url }, from: "start" });
    const replay = { from_sequence_number: 1 };
    const again = setInterval(
      () => void client.post(`/v1/sinks/${id}/replay`, replay).catch(() => {}),
      AGAIN_MS,
    );
    const figures = await deliver().finally(() => clearInterval(again));
    await client.delete(`/v1/sinks/${id}`);
    return figures;
  };
  bench.say("webhooks of another account, and the same while a sink recovers");
  try {
    const [alone, during] = await interleaved(turns, [deliver, whileRecovering]);
    return [
      { what: "webhooks of another account", figure: rate(medians(alone).perSecond) },
      {
        what: "webhooks of another account, a sink recovers",
        figure: rate(medians(during).perSecond),
        ratio: multiple(medianRatio("perSecond", during, alone)),
      },
    ];
  } finally {
    await receivers.close();
  }
}

async function append(client: HttpClient, count: number): Promise<void> {
  const events = smallEvents().slice(0, BATCH);
  for (let sent = 0; sent < count; sent += BATCH)
    await expectCreated(client, "/v1/events/batch", { events });
}

async function create(client: HttpClient, sink: object): Promise<string> {
  return (await expectCreated(client, "/v1/sinks", sink)).data.id;
}

async function expectCreated(client: HttpClient, path: string, body: object) {
  const answer = await client.post(path, body);
  if (answer.status !== 201) throw new Error(`${path} was answered ${answer.text.slice(0, 500)}`);
  return answer.body;
}
