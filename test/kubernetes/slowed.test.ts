// Guarantee, at 100 appends a second: while every packet to and from PostgreSQL or NATS is 200 ms late,
// appends go on or are refused with server_error, no pod restarts, nothing acknowledged is lost, webhooks
// arrive. Each Service leads to a pod of the test that forwards.

import { afterAll, beforeAll, expect, test } from "vitest";
import { IMAGE, Installation, SERVICES, WITHIN_MS } from "./installation.ts";
import { eventually } from "./namespace.ts";
import { peersPolicy, type Store, storePod, UNPRIVILEGED } from "./store-pod.ts";

const REPLICAS = 2;
const DELAY_MS = 200;
/** Requests of the test itself, one after the other: so long the way is slow. */
const APPENDS = 10;
const PORTS: Readonly<Record<Store, number>> = { postgresql: 5432, nats: 4222 };

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
  const webhook = { url: installation.namespace.receiver, events: ["event.created"] };
  await installation.request("POST", "/v1/webhooks", webhook);
  await forward("postgresql");
  await forward("nats");
  // Their connections stand, past what forwards.
  const gone = (await allReady()).flat().map(({ name }) => name);
  await kubectl("rollout", "restart", ...SERVICES.map((each) => `deploy/annals-${each}`));
  await Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS, gone)));
});
afterAll(() => installation?.namespace.remove());

const kubectl = (...words: string[]) => installation.namespace.kubectl(...words);
const allReady = () => Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS)));
const podOf = (store: Store) => `slow-${store}`;

/** Lets the Service of a store lead to a pod that forwards to what it led to. */
async function forward(store: Store): Promise<void> {
  const { namespace } = installation;
  const ofStore = `app.kubernetes.io/component=${store}`;
  const address = "jsonpath={.items[0].status.podIP}";
  const real = await kubectl("get", "pods", "--selector", ofStore, "-o", address);
  const way = { way: "slow" };
  const selector = { spec: { selector: way } };
  await kubectl("patch", "service", `annals-${store}`, "--patch", JSON.stringify(selector));
  const words = ["/client/client.mjs", "forward", real, String(PORTS[store]), String(DELAY_MS)];
  const container = {
    ...UNPRIVILEGED,
    name: "forward",
    image: IMAGE,
    command: ["node", ...words],
    ports: [{ name: store, containerPort: PORTS[store] }],
    volumeMounts: [{ name: "client", mountPath: "/client" }],
  };
  await namespace.apply(
    peersPolicy(podOf(store), store),
    storePod({
      name: podOf(store),
      store,
      user: 1000,
      labels: way,
      spec: {
        containers: [container],
        volumes: [{ name: "client", configMap: { name: "client" } }],
      },
    }),
  );
  await kubectl("wait", "--for=condition=Ready", `pod/${podOf(store)}`, "--timeout=120s");
}

/** From slow to not, and back. */
const turn = (store: Store) =>
  kubectl("exec", podOf(store), "--", "node", "-e", 'process.kill(1, "SIGUSR2")');

test.each<Store>(["postgresql", "nats"])("%s is slow", async (store) => {
  const before = await allReady();
  const { appended, slowestMs, statuses } = await installation.underLoad(async () => {
    await turn(store);
    for (let n = 0; n < APPENDS; n += 1)
      await installation.request("POST", "/v1/events", { action: "meanwhile" });
    await turn(store);
  });
  expect(appended).toBeGreaterThan(0);
  expect(Object.keys(statuses).filter((status) => !["201", "500"].includes(status))).toEqual([]);
  // Once each way for admission, once for the append.
  if (store === "postgresql") expect(slowestMs).toBeGreaterThan(4 * DELAY_MS);
  expect(await allReady()).toStrictEqual(before);
  await installation.request("POST", "/v1/events", { action: `after.${store}` });
  await eventually(
    WITHIN_MS,
    async () =>
      (await kubectl("logs", "client", "--tail=5000")).includes(`after.${store}`) || undefined,
  );
});
