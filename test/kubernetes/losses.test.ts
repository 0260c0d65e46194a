// Guarantees, at 100 appends a second. Every pod of the services is evicted or deleted, in turn or one of
// each service at once; NATS dies or is replaced: every request is answered with 201. PostgreSQL crashes, is
// deleted, or hangs: requests fail, no pod of a service restarts, all recover by themselves, nothing
// acknowledged is lost. An export is read through a replica that did not write it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installation, type Pod, SERVICES, WITHIN_MS } from "./installation.ts";
import { eventually } from "./namespace.ts";

const REPLICAS = 2;
/** How long PostgreSQL hangs: longer than a statement may take. */
const HANGS_S = 12;
const POSTGRESQL = "annals-postgresql-0";

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation?.namespace.remove());

const kubectl = (...words: string[]) => installation.namespace.kubectl(...words);
const allReady = () => Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS)));

/** One pod of every service at once, then the others. */
async function inTwo(remove: (pod: string) => Promise<unknown>): Promise<void> {
  const pods = await allReady();
  for (let turn = 0; turn < REPLICAS; turn += 1) {
    const gone = pods.map((each) => each[turn]!.name);
    await Promise.all(gone.map((pod) => remove(pod)));
    await Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS, gone)));
  }
}

/** Strictly one pod after the other: the next when a new one is ready in place of the last. */
async function inTurn(remove: (pod: string) => Promise<unknown>): Promise<void> {
  for (const service of SERVICES) {
    const gone: string[] = [];
    for (const { name } of await installation.ready(service, REPLICAS)) {
      gone.push(name);
      await remove(name);
      await installation.ready(service, REPLICAS, gone);
    }
  }
}

/** As `kubectl drain`: all pods one after the other, each again until its PodDisruptionBudget lets it go. */
async function drain(): Promise<void> {
  const gone = (await allReady()).flat().map(({ name }) => name);
  for (const name of gone) await eventually(WITHIN_MS, () => installation.namespace.evict(name));
  await Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS, gone)));
}

describe("without a failed request", () => {
  const evict = (pod: string) => installation.namespace.evict(pod);
  const remove = (pod: string) => kubectl("delete", "pod", pod);
  const inOrder: Record<string, () => Promise<void>> = {
    "one of each service at once is evicted, then the others": () => inTwo(evict),
    "one of each service at once is deleted, then the others": () => inTwo(remove),
    "one after the other is evicted": () => inTurn(evict),
    "one after the other is deleted": () => inTurn(remove),
    "all are drained, as their budgets allow": drain,
  };
  test.each(Object.entries(inOrder))("of all pods %s", async (_, work) => {
    expect(await installation.withoutFailure(work)).toBeGreaterThan(0);
  });

  test("NATS is killed, then replaced, and webhooks still arrive", async () => {
    const webhook = { url: installation.namespace.receiver, events: ["event.created"] };
    await installation.request("POST", "/v1/webhooks", webhook);
    const appended = await installation.withoutFailure(async () => {
      const [killed] = await installation.ready("nats", 1);
      await kubectl("delete", "pod", killed!.name, "--grace-period=0", "--force");
      await installation.ready("nats", 1, [killed!.name]);
      await kubectl("scale", "deploy/annals-nats", "--replicas=0");
      await installation.ready("nats", 0);
      await kubectl("scale", "deploy/annals-nats", "--replicas=1");
      await installation.ready("nats", 1);
    });
    expect(appended).toBeGreaterThan(0);
    await installation.request("POST", "/v1/events", { action: "after.nats" });
    await eventually(
      WITHIN_MS,
      async () =>
        (await kubectl("logs", "client", "--tail=1000")).includes("after.nats") || undefined,
    );
  });
});

test("an export is read after the pod that wrote it is gone", async () => {
  const pods = await installation.ready("export", REPLICAS);
  const written = () =>
    Promise.all(pods.map(({ name }) => installation.metric(name, "annals_export_attempts_total")));
  const before = await written();
  // No earlier test has asked for an equal one.
  const filter = { before_sequence: 1_000_000_000 };
  const { body } = await installation.request("POST", "/v1/exports", { filter });
  const path = `/v1/exports/${body.data.id}`;
  await eventually(WITHIN_MS, async () => {
    const { body: now } = await installation.request("GET", path);
    return now.data.status === "completed" || undefined;
  });
  const content = () => installation.request("GET", `${path}/content`);
  const first = await content();
  expect(first.status).toBe(200);
  const after = await written();
  const writer = pods[after.findIndex((count, index) => count > before[index]!)];
  expect(writer).toBeDefined();
  await kubectl("delete", "pod", writer!.name, "--wait=true");
  expect(await content()).toStrictEqual(first);
  await installation.ready("export", REPLICAS);
});

describe("PostgreSQL", () => {
  const postgres = (script: string) => kubectl("exec", POSTGRESQL, "--", "sh", "-c", script);
  /** Ends and stops what the container runs, but for its first process and this shell. */
  const others = (signal: string) =>
    `for p in /proc/[0-9]*; do p=\${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] || kill -${signal} $p; done`;

  const losses: Record<string, () => Promise<unknown>> = {
    "crashes: its processes are killed": () => postgres(others("KILL")),
    "is deleted": () => kubectl("delete", "pod", POSTGRESQL),
    "is killed": () => kubectl("delete", "pod", POSTGRESQL, "--grace-period=0", "--force"),
    "hangs for longer than a statement may take": () =>
      postgres(`${others("STOP")}; sleep ${HANGS_S}; ${others("CONT")}`),
  };

  test.each(Object.entries(losses))("%s", async (_, lose) => {
    const before = await allReady();
    const { statuses } = await installation.underLoad(async () => {
      await lose();
      await eventually(WITHIN_MS, async () => {
        const { status } = await installation.request("POST", "/v1/events", { action: "again" });
        return status === 201 || undefined;
      });
    });
    // Otherwise nothing was lost.
    expect(Object.keys(statuses).length).toBeGreaterThan(1);
    const restarts = (pods: Pod[][]) =>
      pods.flat().map(({ name, restarts: count }) => [name, count]);
    expect(restarts(await allReady())).toStrictEqual(restarts(before));
  });
});
