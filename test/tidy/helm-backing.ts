// What the chart's Job of migrations must be, and what the chart brings where no value is given: PostgreSQL,
// NATS, and the Secrets of both. Called by helm.test.ts with the rendered manifests.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Node, ROOT } from "../../deploy/generate/sources.ts";

const MIGRATED = ["keys", "ledger", "export", "webhook-dispatcher"];

/** The owners' logins and the bootstrap key are in this Job and in no other pod. */
export function checkMigrations(
  objects: Node[],
  checkContainer: (service: string, container: Node) => void,
): void {
  const jobs = objects.filter(({ kind }) => kind === "Job");
  expect(jobs).toHaveLength(1);
  const pod = jobs[0]?.["spec"].template.spec;
  expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(JSON.stringify(pod.volumes ?? [])).not.toMatch(/tls|admission/);
  expect(pod.containers).toHaveLength(1);
  const [job] = pod.containers as [Node];
  expect(job["args"]).toStrictEqual(["annals", "migrate"]);
  const owners = MIGRATED.map((service) => {
    const container = containerFor(service, job);
    checkContainer(service, container);
    expect(secretOf(container, "ANNALS_BOOTSTRAP_KEY") && service).toBeOneOf([undefined, "keys"]);
    const serve = mainOf(objects, service);
    expect(secretOf(container, "ANNALS_SERVE_DATABASE_URL")).toStrictEqual(
      secretOf(serve, "ANNALS_DATABASE_URL"),
    );
    return secretOf(container, "ANNALS_DATABASE_URL");
  });
  expect(owners).not.toContain(undefined);
  for (const { spec } of objects.filter(({ kind }) => kind === "Deployment"))
    expect(owners).not.toContainEqual(secretOf(spec.template.spec.containers[0]));
}

/** What `annals migrate` starts for one service: it takes the name of the service off its variables. */
function containerFor(service: string, job: Node): Node {
  const prefixOf = (name: string) => `${name.toUpperCase().replaceAll("-", "_")}_`;
  const env = (job["env"] as Node[]).flatMap((each): Node[] => {
    const name = each["name"] as string;
    const of = MIGRATED.find((other) => name.startsWith(`${prefixOf(other)}ANNALS_`));
    if (of === undefined) return [each];
    return of === service ? [{ ...each, name: name.slice(prefixOf(of).length) }] : [];
  });
  return { ...job, args: [`services/${service}/dist/main.js`], env };
}

/** Without any value: each has a login of its own, and only those who use a server reach it. */
export function checkBacking(objects: Node[]): void {
  const find = (kind: string, name: string) =>
    objects.find((each) => each["kind"] === kind && each["metadata"].name === `annals-${name}`);
  const secret = (name: string) => {
    const { data, metadata } = find("Secret", name) ?? {};
    expect(metadata.annotations["helm.sh/resource-policy"], name).toBe("keep");
    return new Map(Object.entries<string>(data).map(([key, value]) => [key, atob(value)]));
  };
  const logins = secret("postgresql");
  const urls = ["owner", ...MIGRATED].map((name) => new URL(logins.get(name) ?? ""));
  expect(new Set(urls.map(({ username }) => username)).size).toBe(5);
  expect(new Set(urls.map(({ password }) => password)).size).toBe(5);
  expect(logins.get("annals.sql")).toContain(`PASSWORD '${urls[0]?.password}'`);
  for (const { host, pathname } of urls)
    expect([host, pathname]).toStrictEqual(["annals-postgresql:5432", "/annals"]);
  checkNats(objects, secret("nats"));
  expect(secret("bootstrap-key").get("key")).toMatch(/^annals_sk_[A-Za-z0-9]{40}$/);
  expect(secret("webhook-dispatcher-keys").get("keys")).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
  expect(secret("admission").get("secrets")).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
  expect(find("PersistentVolumeClaim", "exports")?.["metadata"].annotations).toMatchObject({
    "helm.sh/resource-policy": "keep",
  });
  expect(find("Deployment", "export")?.["spec"]).toMatchObject({
    replicas: 1,
    strategy: { type: "Recreate" },
  });
  for (const [kind, name, callers] of [
    ["StatefulSet", "postgresql", [...MIGRATED, "migrate"]],
    ["Deployment", "nats", MIGRATED.filter((service) => service !== "keys")],
  ] as const) {
    const { metadata, spec: pod } = find(kind, name)?.["spec"].template ?? {};
    // A label with the chart's version would restart the server at every upgrade.
    expect(Object.keys(metadata.labels)).not.toContain("helm.sh/chart");
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(pod.containers[0].securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    const { ingress, egress, policyTypes } = find("NetworkPolicy", name)?.["spec"] ?? {};
    expect([egress, policyTypes]).toStrictEqual([undefined, ["Ingress", "Egress"]]);
    const from = (ingress as Node[]).flatMap((rule) => rule["from"] as Node[]);
    expect(
      from.map((peer) => peer["podSelector"].matchLabels["app.kubernetes.io/component"]),
    ).toStrictEqual(callers);
  }
}

/** Each of the three has a user of its own, with the rights of the file that the tests of messaging run. */
function checkNats(objects: Node[], nats: ReadonlyMap<string, string>): void {
  for (const service of ["ledger", "export", "webhook-dispatcher"]) {
    const { username, password, host } = new URL(nats.get(service) ?? "");
    expect([username, host]).toStrictEqual([service, "annals-nats:4222"]);
    expect(password).toMatch(/^p\w{31}$/);
    const variable = `ANNALS_NATS_${service.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
    expect(nats.get(`${service}-password`)).toBe(password);
    expect(secretOf(mainOf(objects, "nats"), variable)?.["key"]).toBe(`${service}-password`);
    expect(secretOf(mainOf(objects, service), "ANNALS_NATS_URL")).toStrictEqual({
      name: "annals-nats",
      key: service,
    });
  }
  const isIts = ({ kind, metadata }: Node) =>
    kind === "ConfigMap" && metadata.name === "annals-nats";
  const config = objects.find(isIts)?.["data"];
  expect(config["nats-users.conf"].trim()).toBe(
    readFileSync(join(ROOT, "helm/annals/nats-users.conf"), "utf8").trim(),
  );
  expect(config["nats.conf"]).toMatch(/include nats-users\.conf\n$/);
}

function mainOf(objects: Node[], service: string): Node {
  const isIts = ({ kind, metadata }: Node) =>
    kind === "Deployment" && metadata.labels["app.kubernetes.io/component"] === service;
  return objects.find(isIts)?.["spec"].template.spec.containers[0];
}

function secretOf(container: Node, env = "ANNALS_DATABASE_URL"): Node | undefined {
  const variables = (container["env"] ?? []) as Node[];
  return variables.find((each) => each["name"] === env)?.["valueFrom"].secretKeyRef;
}
