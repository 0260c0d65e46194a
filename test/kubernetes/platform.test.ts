// Guarantee: what a platform team adds to the chart works on a cluster. `helm test` passes, its webhook
// arriving in its pod, and leaves nothing; it fails where the API is not there. The scraper that the values
// name reads the metrics of every service, and no other pod does. A service grows and shrinks with its load.
// The API server takes every value, strictly.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, Namespace } from "./namespace.ts";
import { CLASSES, DEFINITIONS } from "./stub-definitions.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CHART = join(ROOT, "helm/annals");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

const WITHIN_MS = 300_000;
const APPENDS_PER_S = 50;
const MAX_REPLICAS = 3;

const SERVICES = ["export", "gateway", "keys", "ledger", "webhook-dispatcher"];

/** Reads /metrics of the addresses, and prints the services that they are of, or `closed`. */
const SCRAPE = `
  const read = (host) => fetch("http://" + host + ":9091/metrics", { signal: AbortSignal.timeout(3000) })
    .then((answer) => answer.text())
    .then((text) => /^annals_build_info\\{.*service="([a-z-]+)"/m.exec(text)?.[1], () => "closed");
  Promise.all(process.argv.slice(1).map(read)).then((all) => console.log(JSON.stringify(all)));`;

describe("the chart of a platform team", () => {
  let namespace: Namespace;
  let monitoring: Namespace;
  let values: object;

  beforeAll(async () => {
    namespace = await Namespace.create();
    monitoring = await Namespace.create();
    await namespace.apply(...DEFINITIONS, ...CLASSES);
    await namespace.startClient(`annals:${version}`);
    await monitoring.startClient(`annals:${version}`);
    const inMonitoring = { matchLabels: { "kubernetes.io/metadata.name": monitoring.name } };
    values = {
      tests: { webhook: true },
      rateLimitPerMinute: 1_000_000,
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboards: { enabled: true },
      networkPolicy: {
        // The test's pod has to be let in beside it.
        gateway: { from: [{ podSelector: { matchLabels: { app: "client" } } }] },
        metrics: {
          from: [
            { namespaceSelector: inMonitoring, podSelector: { matchLabels: { app: "client" } } },
          ],
        },
      },
      gateway: {
        resources: { requests: { cpu: "50m" } },
        autoscaling: {
          enabled: true,
          minReplicas: 1,
          maxReplicas: MAX_REPLICAS,
          targetCPUUtilizationPercentage: 60,
          behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
        },
      },
    };
    await namespace.install(values);
  });
  afterAll(async () => {
    await namespace.kubectl("delete", "customresourcedefinition", ...namesOf(DEFINITIONS));
    await namespace.kubectl("delete", "priorityclass", ...namesOf(CLASSES.slice(0, 2)));
    await namespace.kubectl("delete", "runtimeclass", ...namesOf(CLASSES.slice(2)));
    await Promise.all([namespace.remove(), monitoring.remove()]);
  });

  test("`helm test` has the whole path work, and leaves nothing", async () => {
    const printed = await namespace.helmTest();
    for (const step of ["append an event", "verify the chain", "sign the delivery", "refuse the"])
      expect(printed).toContain(`ok: ${step}`);
    const left = await namespace.kubectl(
      "get",
      "pods,services,configmaps,networkpolicies",
      "--output",
      "name",
      "--selector",
      "app.kubernetes.io/component=test",
    );
    expect(left).toBe("");
  });

  test("`helm test` fails where the API is not there, and its pod stays for its log", async () => {
    const select = (component: string) => {
      const selector = { "app.kubernetes.io/component": component };
      const patch = JSON.stringify({ spec: { selector } });
      return namespace.kubectl("patch", "service", "annals-gateway", "--patch", patch);
    };
    await select("nobody");
    await expect(namespace.helmTest()).rejects.toThrow("failed");
    await select("gateway");
    expect(await namespace.kubectl("logs", "annals-test")).toContain("fetch failed");
  });

  test("the scraper that is named alone reads the metrics of every service", async () => {
    const slices = await namespace.kubectl(
      "get",
      "endpointslices",
      "--output",
      "json",
      "--selector",
      "kubernetes.io/service-name=annals-metrics",
    );
    const { items } = JSON.parse(slices) as {
      items: { ports: { name: string }[] | null; endpoints: { addresses: string[] }[] }[];
    };
    // As Prometheus takes them: those with the port that the ServiceMonitor names.
    const addresses = items
      .filter(({ ports }) => ports?.some(({ name }) => name === "admin"))
      .flatMap(({ endpoints }) => endpoints.flatMap((each) => each.addresses));
    const scrape = async (by: Namespace): Promise<string[]> => {
      const words = ["exec", "client", "--", "node", "-e", SCRAPE, ...addresses];
      return JSON.parse(await by.kubectl(...words)) as string[];
    };
    expect([...new Set(await scrape(monitoring))].toSorted()).toStrictEqual(SERVICES);
    expect(new Set(await scrape(namespace))).toStrictEqual(new Set(["closed"]));
  });

  test("a service grows under load and shrinks after it", async () => {
    const key = await namespace.secret("annals-bootstrap-key", "key");
    const replicas = (wanted: (count: number) => boolean) =>
      eventually(WITHIN_MS, async () => {
        const path = "jsonpath={.status.readyReplicas}";
        const count = await namespace.kubectl("get", "deployment", "annals-gateway", "-o", path);
        return wanted(Number(count)) ? Number(count) : undefined;
      });
    await replicas((count) => count === 1);
    const load = namespace.load(APPENDS_PER_S, [key]);
    const started = performance.now();
    const grown = await replicas((count) => count > 1);
    const out = performance.now() - started;
    const { statuses } = await load.stop();
    const stopped = performance.now();
    await replicas((count) => count === 1);
    const within = [out, performance.now() - stopped].map((ms) => `${(ms / 1000).toFixed(0)} s`);
    process.stderr.write(`to ${grown} replicas and back within ${within.join(", ")}\n`);
    expect(Object.keys(statuses)).toStrictEqual(["201"]);
  });

  test.each([
    ["every value", ["ci/full-values"], []],
    ["production", ["production-values"], []],
    [
      "the other choice of each",
      ["ci/full-values"],
      [
        "podMonitor.enabled=false",
        "serviceMonitor.enabled=true",
        "tests.webhook=true",
        'tls={"issuerRef":{"name":"annals","kind":"Issuer"},"existingSecrets":null}',
        'webhookDispatcher.caBundle.configMap=""',
      ],
    ],
    ["KEDA", ["ci/minimal-values", "examples/keda"], []],
    ["autoscaling", ["ci/minimal-values", "examples/autoscaling"], []],
  ])("a strict server takes %s", async (_, files, sets) => {
    const given = files.flatMap((file) => ["--values", join(CHART, `${file}.yaml`)]);
    const changed = sets.flatMap((set) => ["--set-json", set]);
    // Where no release is.
    const there = ["--set", `dashboards.namespace=${monitoring.name}`];
    const rendered = await monitoring.render(...given, ...changed, ...there);
    const printed = await monitoring.kubectlWith(
      rendered,
      "create",
      "--dry-run=server",
      "--validate=strict",
      "--output",
      "name",
      "--filename",
      "-",
    );
    expect(printed.trim().split("\n").length).toBeGreaterThan(30);
  });
});

function namesOf(objects: readonly object[]): string[] {
  return objects.map((each) => (each as { metadata: { name: string } }).metadata.name);
}
