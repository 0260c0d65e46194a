// Guarantee: the scheduler puts the replicas of every service into as many zones as there are. Where a zone
// takes no pod, a replica waits with `pod.zoneSpread: DoNotSchedule`, and is scheduled in another zone by
// default. Two of the three zones are nodes without a kubelet: pods get a node there and never start.

import { afterAll, beforeAll, expect, test } from "vitest";
import { SERVICES, SMALL, WITHIN_MS } from "./installation.ts";
import { eventually, Namespace } from "./namespace.ts";

const ZONES = ["a", "b", "c"];
const ZONE = "topology.kubernetes.io/zone";
const MADE = { b: "annals-zone-b", c: "annals-zone-c" };
const REPLICAS = ZONES.length;
/** How long the node controller waits for a sign of life is more than a minute with these. */
const LEASE_S = 40;

const small = { ...SMALL, replicas: REPLICAS };
const secrets = { databaseUrl: { secret: "any" }, migrateUrl: { secret: "any" } };
/** Nothing has to start: no claim that binds to a node, no Job, no PostgreSQL. */
const VALUES = {
  image: { repository: "registry.example/annals" },
  gateway: small,
  keys: { ...small, ...secrets },
  ledger: { ...small, ...secrets },
  export: { ...small, ...secrets, s3: { url: "s3://any" } },
  webhookDispatcher: { ...small, ...secrets },
  networkPolicy: {
    postgresql: { peers: [{ podSelector: {} }] },
    s3: { peers: [{ podSelector: {} }] },
  },
};

const namespaces: Namespace[] = [];
let cluster: Namespace;
/** Of the cluster's own node. */
let first: string;

beforeAll(async () => {
  cluster = await create();
  first = (
    await cluster.kubectl("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")
  ).trim();
  await cluster.kubectl("label", "node", first, `${ZONE}=a`, "--overwrite");
  await cluster.apply(...Object.entries(MADE).map(([zone, name]) => nodeOf(name, zone)));
  await live();
});

afterAll(async () => {
  for (const namespace of namespaces) {
    await namespace.kubectl("delete", "deployments", "--all");
    // No kubelet would end those of the made nodes.
    await namespace.kubectl("delete", "pods", "--all", "--grace-period=0", "--force");
    await namespace.remove();
  }
  await cluster.kubectl("label", "node", first, `${ZONE}-`);
  await cluster.kubectl("delete", "nodes", ...Object.values(MADE));
});

async function create(): Promise<Namespace> {
  const namespace = await Namespace.create();
  namespaces.push(namespace);
  return namespace;
}

function nodeOf(name: string, zone: string) {
  const size = { cpu: "4", memory: "8Gi", pods: "110" };
  const conditions = [{ type: "Ready", status: "True", reason: "Test", message: "No kubelet." }];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { [ZONE]: zone, "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" },
    },
    status: { capacity: size, allocatable: size, conditions },
  };
}

/** The sign of life that a kubelet gives. */
async function live(): Promise<void> {
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  const leases = Object.values(MADE).map((name) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease" },
    spec: { holderIdentity: name, leaseDurationSeconds: LEASE_S, renewTime },
  }));
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: leases });
  await cluster.kubectlWith(list, "apply", "--namespace", "kube-node-lease", "--filename", "-");
}

/** For each service the zones of its replicas, `none` for one that the scheduler has refused. */
async function zonesOf(zoneSpread: string): Promise<Record<string, string[]>> {
  const namespace = await create();
  await namespace.helm("install", { ...VALUES, pod: { zoneSpread } }, "--no-hooks");
  const zones = new Map([
    [first, "a"],
    ...Object.entries(MADE).map(([zone, name]) => [name, zone] as const),
  ]);
  return eventually(WITHIN_MS, async () => {
    await live();
    const { items } = JSON.parse(await namespace.kubectl("get", "pods", "-o", "json")) as {
      items: {
        metadata: { labels: Record<string, string> };
        spec: { nodeName?: string };
        status: { conditions?: { type: string; status: string }[] };
      }[];
    };
    const placed = items.map(({ metadata, spec, status }) => {
      const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled");
      const service = metadata.labels["app.kubernetes.io/component"] ?? "";
      const zone = spec.nodeName === undefined ? undefined : zones.get(spec.nodeName);
      return { service, zone: zone ?? (scheduled?.status === "False" ? "none" : undefined) };
    });
    if (placed.length !== SERVICES.length * REPLICAS) return undefined;
    if (placed.some(({ zone }) => zone === undefined)) return undefined;
    return Object.fromEntries(
      SERVICES.map((name) => [
        name,
        placed.flatMap(({ service, zone }) => (service === name ? [zone ?? ""] : [])).toSorted(),
      ]),
    );
  });
}

const each = (zones: string[]) => Object.fromEntries(SERVICES.map((name) => [name, zones]));

test.each(["ScheduleAnyway", "DoNotSchedule"])("%s: a replica in each zone", async (spread) => {
  expect(await zonesOf(spread)).toStrictEqual(each(ZONES));
});

test("where a zone takes no pod, a replica waits or is scheduled in another zone, as the value says", async () => {
  await cluster.kubectl("cordon", MADE.c);
  expect(await zonesOf("DoNotSchedule")).toStrictEqual(each(["a", "b", "none"]));
  for (const zones of Object.values(await zonesOf("ScheduleAnyway"))) {
    expect(new Set(zones)).toStrictEqual(new Set(["a", "b"]));
    expect(zones).toHaveLength(REPLICAS);
  }
});
