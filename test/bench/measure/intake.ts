// Measures intake: bodies of a kube-apiserver and of an exporter of OpenTelemetry, at full speed and at half
// of the rate that this had. Called by main.ts. No item may be replayed: each request has ids of its own.

import {
  inJson,
  inProtobuf,
  otlpRecord,
  otlpRequest,
} from "@annals/gateway/src/testing/otlp-requests.ts";
import { HttpClient, newAccount } from "@annals/testing";
import { readFileSync } from "node:fs";
import { costText, marked } from "../cpu.ts";
import type { LoadJob } from "../http-load.ts";
import { type Bench, type Result, type Section, shown } from "./bench.ts";
import { interleaved, medians } from "./interleaved.ts";
import { costedLoad } from "./load.ts";

/** The items that docs/kubernetes-audit.md has a kube-apiserver send in a body. */
const ITEMS = 400;
const CONNECTIONS = 4;
/** A body takes as long as hundreds of single events, so turns are longer by this factor. */
const LONGER = 4;
/** A part of each id, replaced in each request. */
const NUMBERED = "7316508294617350";
const SAMPLE = new URL(
  "../../../services/gateway/src/testing/kubernetes-audit/event-list.jsonl",
  import.meta.url,
);
const PROTOBUF = "application/x-protobuf";

type Load = Pick<LoadJob, "paths" | "bodies" | "status"> & {
  readonly what: string;
  readonly mediaType?: string;
};

/** The final items of a recorded body over and over, each with an id of its own. */
function kubernetesBody(): string {
  const list = JSON.parse(readFileSync(SAMPLE, "utf8")) as { items: { stage: string }[] };
  const final = list.items.filter(({ stage }) => stage === "ResponseComplete");
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    ...final[n % final.length],
    auditID: `${n}-${NUMBERED}`,
  }));
  return JSON.stringify({ ...list, items });
}

function otlpRecords() {
  const uids = Array.from({ length: ITEMS }, (_, n) => `${n}-${NUMBERED}`);
  const attributes = {
    "event.outcome": "success",
    "client.address": "203.0.113.42",
    amount: 1_200n,
  };
  return otlpRequest(
    ...uids.map((uid) => otlpRecord({ attributes: { ...attributes, "log.record.uid": uid } })),
  );
}

function loads(): Load[] {
  const otlp = { paths: ["/v1/intake/otlp/v1/logs"], status: 200 };
  const records = otlpRecords();
  return [
    {
      what: `Kubernetes bodies of ${ITEMS} items`,
      paths: ["/v1/intake/kubernetes"],
      bodies: [kubernetesBody()],
      status: 201,
    },
    {
      what: `OTLP of ${ITEMS} records, protobuf`,
      bodies: [inProtobuf(records).toString("latin1")],
      mediaType: PROTOBUF,
      ...otlp,
    },
    { what: `OTLP of ${ITEMS} records, JSON`, bodies: [inJson(records).toString()], ...otlp },
  ];
}

export async function measureIntake(bench: Bench): Promise<Section> {
  const results: Result[] = [];
  const given = loads();
  for (const load of given) results.push(...(await measured(bench, load)));
  const bytes = given.map(({ bodies }) => Math.round((bodies[0]?.length ?? 0) / 1024));
  return {
    title: "Intake",
    about:
      `${CONNECTIONS} connections, one key, not compressed, in the order of the rows ${bytes.join(", ")} KiB a body. ` +
      "Each item is an append of its own with an idempotency key. At half of the rate, a latency is from the moment " +
      "when the request was due.",
    heads: ["items", "p50", "p99"],
    results,
  };
}

async function measured(bench: Bench, { what, ...load }: Load): Promise<Result[]> {
  const { baseUrl, databaseUrl, options } = bench;
  const { turns, turnMs, turnWarmUpMs: warmUpMs } = options;
  const measureMs = turnMs * LONGER;
  await expectStored(bench, load, (await newAccount(databaseUrl)).key);
  const run = async (pace?: number) => {
    // Each turn has the same ids.
    const { key } = await newAccount(databaseUrl);
    const shape = { connections: CONNECTIONS, warmUpMs, measureMs, numbered: NUMBERED };
    const job = { method: "POST", ...load, baseUrl, keys: [key], ...shape } as const;
    return costedLoad(bench, pace === undefined ? job : { ...job, pace }, ITEMS);
  };
  bench.say(`${what}, at full speed and at half of it`);
  const [full] = await interleaved(turns, [() => run()]);
  const pace = medians(full).perSecond / ITEMS / 2;
  const [half] = await interleaved(turns, [() => run(pace)]);
  return [
    { what: marked(what, full), ...shown(medians(full)), cost: costText(full) },
    { what: marked(`${what}, at half`, half), ...shown(medians(half)), cost: costText(half) },
  ];
}

/** A body of which items are refused would be measured as one that is stored. */
async function expectStored(
  { baseUrl }: Bench,
  load: Omit<Load, "what">,
  key: string,
): Promise<void> {
  const client = new HttpClient(baseUrl, key);
  const [path = ""] = load.paths;
  const [body = ""] = load.bodies;
  const bytes = Buffer.from(body, load.mediaType === undefined ? "utf8" : "latin1");
  const headers = { "content-type": load.mediaType ?? "application/json" };
  const answer = await client.post(path, bytes, { headers });
  const stored = await client.get("/v1/verify");
  client.close();
  if (stored.body?.data?.checked !== ITEMS)
    throw new Error(`not all items are stored: ${answer.status} ${answer.text.slice(0, 500)}`);
}
