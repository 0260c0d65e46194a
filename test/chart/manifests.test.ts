// Guarantee: in every manifest of test/chart/golden, whatever the values, containers are at the restricted
// level, their settings and ports are those of the code, and the policies let in whom access.ts of a service
// lets in, as the local stack does. It needs no helm; golden.test.ts compares the files with the chart.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { CASES, goldenPath } from "../../deploy/generate/chart-renderings.ts";
import {
  matches,
  type Node,
  ROOT,
  SERVICES,
  settingsOf,
  tableOf,
  textOf,
} from "../../deploy/generate/sources.ts";

/** Read by the SDKs of the storage and of OpenTelemetry, or an `extraEnv`; not by a config.ts. */
const OF_THE_SDK =
  /^(AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)|OTEL_EXPORTER_OTLP_HEADERS|HTTPS_PROXY)$/;

const ADMIN_API_PORT = 9092;

/** Those that others call, and that have a schema. */
const BACKENDS = SERVICES.filter((name) => name !== "gateway");

/** Whom each lets in. */
const CALLERS = new Map(
  await Promise.all(
    BACKENDS.map(async (service): Promise<[string, string[]]> => {
      const { ACCESS } = await import(join(ROOT, `services/${service}/src/access.ts`));
      return [service, [...new Set(Object.values<Node>(ACCESS).flatMap(Object.keys))].toSorted()];
    }),
  ),
);

const RENDERINGS = CASES.map(({ name }) => {
  const documents = parseAllDocuments(readFileSync(join(ROOT, goldenPath(name)), "utf8"));
  return documents.flatMap((each) => (each.toJS() as Node | null) ?? []);
});
const OBJECTS = RENDERINGS.flat();
const isA = ({ kind }: Node, name: string) => String(kind).endsWith(` ${name}`);

const PODS: readonly Node[] = OBJECTS.flatMap((object) => {
  const spec = isA(object, "Pod") ? object["spec"] : object["spec"]?.template?.spec;
  return spec === undefined ? [] : [spec];
});
const CONTAINERS: readonly Node[] = PODS.flatMap(({ containers }) => containers);
/** Those that run the image of the release. */
const OURS = CONTAINERS.filter(({ args = [""] }) => /^(services\/|annals$)/.test(args[0]));

const isPolicy = (object: Node) => isA(object, "NetworkPolicy");
const POLICIES = OBJECTS.filter(isPolicy);

test("every pod is at the restricted level, with a limit of memory, no token and no links of services", () => {
  expect(PODS.length).toBeGreaterThan(20);
  for (const pod of PODS) {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(pod["securityContext"]).toMatch(/^<user \d{3,}>$/);
  }
  for (const { securityContext, resources } of CONTAINERS) {
    expect(securityContext).toBe("<restricted>");
    expect(resources.limits.memory).toMatch(/^\d+[MG]i$/);
  }
});

test("every variable is a setting of its service, and is set once", () => {
  expect(OURS.length).toBeGreaterThan(20);
  for (const { args, env } of OURS) {
    const service = /^services\/(.*)\/dist\/main\.js$/.exec(args[0])?.[1];
    const names = (env as Node[]).map((each) => String(each["name"]));
    expect(names).toHaveLength(new Set(names).size);
    for (const name of names.filter((each) => !OF_THE_SDK.test(each)))
      expect(isSettingOf(service, name), `${service ?? "migrate"}: ${name}`).toBe(true);
  }
});

/** In the Job of migrations, what is for one service alone has its name in front. */
function isSettingOf(service: string | undefined, name: string): boolean {
  if (service !== undefined) return settingsOf(service).has(name);
  const prefixOf = (each: string) => `${each.toUpperCase().replaceAll("-", "_")}_`;
  const of = BACKENDS.find((each) => name.startsWith(`${prefixOf(each)}ANNALS_`));
  if (of !== undefined) return settingsOf(of).has(name.slice(prefixOf(of).length));
  return BACKENDS.every((each) => settingsOf(each).has(name));
}

test("ports and probes are those of the code", () => {
  const portOf = (service: string, setting: string) =>
    Number(
      tableOf(service)
        .find(({ env }) => env === setting)
        ?.fallback?.split(":")
        .at(-1),
    );
  const ports: Node = {
    http: portOf("gateway", "ANNALS_PORT"),
    rpc: portOf("keys", "ANNALS_PORT"),
    admin: portOf("keys", "ANNALS_ADMIN_PORT"),
    "admin-api": portOf("keys", "ANNALS_ADMIN_API_ADDRESS"),
  };
  const served = matches(textOf("libs/chassis/src/admin-server.ts"), /case "(\/\w+)":/g);
  for (const container of OURS) {
    for (const { name, containerPort } of container["ports"] ?? [])
      expect(containerPort, name).toBe(ports[name]);
    const asked = matches(JSON.stringify(container), /"path":"([^"]+)","port":"admin"/g);
    expect(asked).toHaveLength(container["args"][0] === "annals" ? 0 : 3);
    for (const path of asked) expect(served).toContain(path);
  }
});

test("no rule of a policy lets everyone in or out but the interface, and to the internet the dispatcher", () => {
  for (const { metadata, spec } of POLICIES) {
    for (const { ports, from } of spec.ingress ?? [])
      if (ports[0].port !== 8080) expect(from.length, metadata.name).toBeGreaterThan(0);
    for (const { ports, to } of spec.egress ?? []) {
      expect(to.length, metadata.name).toBeGreaterThan(0);
      if (ports === undefined) expect(podsOf(spec)).toBe("webhook-dispatcher");
    }
  }
});

test("the callers of a service are those that its access.ts lets in, for states with the admin API alone", () => {
  const seen = new Set<boolean>();
  for (const policies of RENDERINGS.map((objects) => objects.filter(isPolicy))) {
    const ofServices = policies.filter(
      ({ spec }) => SERVICES.includes(podsOf(spec)) && spec.policyTypes.length === 2,
    );
    const hasAdminApi = ofServices.some(({ spec }) =>
      (spec.ingress as Node[]).some(({ ports }) => ports[0].port === ADMIN_API_PORT),
    );
    const callersOf = (service: string) =>
      (CALLERS.get(service) ?? []).filter(
        (caller) => hasAdminApi || caller !== "keys" || service === "ledger",
      );
    for (const { spec } of ofServices) {
      const service = podsOf(spec);
      expect(peersOf(spec.ingress, "from")).toStrictEqual(callersOf(service));
      const called = BACKENDS.filter((each) => callersOf(each).includes(service));
      expect(peersOf(spec.egress, "to")).toStrictEqual(called.toSorted());
      seen.add(hasAdminApi);
    }
  }
  expect(seen).toStrictEqual(new Set([true, false]));
});

test("a service of the local stack gets the addresses of those that let it in", async () => {
  const { SERVICES: local } = await import(join(ROOT, "deploy/local/src/services.ts"));
  for (const service of SERVICES) {
    const called = BACKENDS.filter((each) => CALLERS.get(each)?.includes(service));
    expect(local[service].calls.toSorted(), service).toStrictEqual(called.toSorted());
  }
});

test("the identity file and the way to the identity providers are for keys alone", () => {
  const withFile = PODS.filter(({ volumes = [] }) => JSON.stringify(volumes).includes("identity"));
  expect(withFile.map(({ containers }) => containers[0].name)).toStrictEqual(["keys"]);
  const withWay = POLICIES.filter(({ spec }) => JSON.stringify(spec).includes("198.51.100.0/24"));
  expect(withWay.map(({ spec }) => podsOf(spec))).toStrictEqual(["keys"]);
});

/** Callers that rules for the RPC port admit. */
function peersOf(rules: readonly Node[], member: "from" | "to"): string[] {
  const ofRpc = rules.filter(({ ports }) => ports?.[0].port === 9090);
  return ofRpc.flatMap((rule) => (rule[member] as Node[]).map(podsOf)).toSorted();
}

/** The component that a selector finds. */
function podsOf({ podSelector }: Node): string {
  return /^<pods of (.+)>$/.exec(podSelector.matchLabels)?.[1] ?? "";
}
