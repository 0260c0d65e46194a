// Measures sinks: events per second out of a backlog by type, and appends while three sinks send what they
// store, against appends without sinks. Called by main.ts. The receivers answer at once and keep nothing, so
// the figures are those of the services.

import { eventually, HttpClient, newAccount } from "@annals/testing";
import { batches, smallEvents } from "../bodies.ts";
import { costText, marked, withCost } from "../cpu.ts";
import { Receivers } from "../receivers.ts";
import { type Bench, multiple, rate, type Result, type Section, shown } from "./bench.ts";
import { interleaved, medianRatio, medians } from "./interleaved.ts";
import { costedLoad } from "./load.ts";

const BATCH = 100;
const CONNECTIONS = 8;
const SENT_WITHIN_MS = 600_000;

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
    client.close();
    results.push(...(await appendsWithSinks(bench, url)));
    return {
      title: "Sinks",
      about:
        `A chain of ${events.toLocaleString("en")} small events is sent from its start to an HTTPS receiver that answers ` +
        "204 and keeps nothing, until the cursor is at the head. Below, batches of 100 events to one key over " +
        `${CONNECTIONS} connections, without sinks, and with three of them (http, splunk_hec, otlp_http) that send them meanwhile.`,
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
