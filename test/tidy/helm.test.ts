// Guarantee: the chart sets only settings that a service has, keeps every container at the restricted
// level, and lets each service reach what docs/kubernetes.md says and nothing else. The source of the chart
// is always checked; with helm on the PATH, or ANNALS_TEST_HELM naming it, the rendered manifests too.

import { Ajv } from "ajv";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { checkCertificates } from "./helm-certificates.ts";
import { FILES, type Node, ROOT, SERVICES, settingsOf, textOf, yamlOf } from "./sources.ts";

const CHART = "helm/annals";
const SCHEMA = JSON.parse(textOf(`${CHART}/values.schema.json`)) as Node;
const EXAMPLES = ["minimal", "full"].map((name) => `${CHART}/ci/${name}-values.yaml`);

/** Set by the chart from values of its own, or fixed by its ports: `settings` may not name them. */
const OF_THE_CHART = new RegExp(
  `^ANNALS_(${[
    "LOG_LEVEL|OTLP_ENDPOINT|EXIT_WITH_STDIN|(ADMIN_|RPC_)?PORT|\\w+_ADDRESS|RATE_LIMIT_PER_MINUTE",
    "DATABASE_URL|NATS_URL|NATS_CA_FILE|PLANS_FILE|BOOTSTRAP_KEY|EXPORT_DIRECTORY|EXPORT_S3_\\w+",
    "WEBHOOK_SECRET_KEY_FILE|WEBHOOK_CA_FILE|TLS_\\w+_FILE|DANGEROUS_PLAINTEXT_RPC",
    "ADMISSION_SECRET_FILE|DANGEROUS_ADMISSION_OPTIONAL",
  ].join("|")})$`,
);

const PER_SERVICE = "Deployment Service NetworkPolicy ServiceAccount PodDisruptionBudget".split(
  " ",
);

/** Read by the SDK of the storage, not by a config.ts. */
const OF_THE_SDK = new Set(["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]);

const memberOf = (service: string): string =>
  service === "webhook-dispatcher" ? "webhookDispatcher" : service;

describe("the source of the chart", () => {
  test("the values and the examples are what the schema describes", () => {
    const validate = new Ajv({ allErrors: true }).compile(SCHEMA);
    const values = yamlOf(`${CHART}/values.yaml`);
    for (const given of [values, ...EXAMPLES.map((path) => merged(values, yamlOf(path)))]) {
      validate(given);
      expect(validate.errors ?? []).toStrictEqual([]);
    }
    // Every member is described: one that is misspelled is refused at the install.
    expect(Object.keys(SCHEMA["properties"]).toSorted()).toStrictEqual(
      [...Object.keys(values), "global"].toSorted(),
    );
  });

  test.each(SERVICES)(
    "%s: `settings` takes the settings of its config.ts and no others",
    (service) => {
      const described = SCHEMA["properties"][memberOf(service)].properties.settings;
      const own = [...settingsOf(service)].filter((name) => !OF_THE_CHART.test(name));
      expect(described.propertyNames.enum.toSorted()).toStrictEqual(own.toSorted());
    },
  );

  test("the environment in the templates is made of settings", () => {
    const known = new Set(SERVICES.flatMap((service) => [...settingsOf(service)]));
    const template = textOf(`${CHART}/templates/_environment.tpl`);
    const names = (template.match(/\b(ANNALS|AWS)_\w+\b/g) ?? []).filter(
      (name) => name !== "ANNALS_" && !OF_THE_SDK.has(name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !known.has(name))).toStrictEqual([]);
  });

  test("every container is under the restricted level, and no pod has a token or links of services", () => {
    const pods = textOf(`${CHART}/templates/deployments.yaml`);
    const security = textOf(`${CHART}/templates/_pod.tpl`);
    for (const line of [
      "allowPrivilegeEscalation: false",
      "readOnlyRootFilesystem: true",
      "runAsNonRoot: true",
      "capabilities: { drop: [ALL] }",
    ]) {
      expect(security).toContain(line);
    }
    const containers = pods.match(/^ +image: /gm) ?? [];
    expect(containers).toHaveLength(2);
    expect(pods.match(/include "annals.containerSecurity"/g)).toHaveLength(containers.length);
    expect(pods).toContain("enableServiceLinks: false");
    expect(pods).toContain("automountServiceAccountToken: false");
  });

  test("no port of a node, no rights of a node, no debugger", () => {
    const deployment = FILES.filter(({ path }) =>
      /^(helm|deploy\/(Dockerfile|compose))/.test(path),
    );
    const forbidden = /hostPort|NodePort|hostNetwork|hostPID|hostPath|privileged: true|--inspect/;
    for (const { path, text } of deployment) expect(text, path).not.toMatch(forbidden);
    expect(deployment.length).toBeGreaterThan(12);
  });

  test("the chart's version is the project's", () => {
    const { version } = JSON.parse(textOf("package.json")) as Node;
    expect(yamlOf(`${CHART}/Chart.yaml`)).toMatchObject({ version, appVersion: version });
  });
});

describe("the rendered chart", () => {
  const helm = findHelm();

  test("is rendered where helm is there", () => {
    process.stderr.write(
      helm === undefined
        ? "helm is not here: the chart's source was checked, its manifests were not\n"
        : `rendered with ${helm}\n`,
    );
    if (helm === undefined) return;
    for (const path of EXAMPLES) {
      const objects = render(helm, path);
      for (const kind of PER_SERVICE) expect(of(objects, kind), kind).toHaveLength(5);
      for (const object of of(objects, "Deployment")) checkDeployment(object);
      for (const object of of(objects, "NetworkPolicy")) checkPolicy(object);
      for (const object of of(objects, "Service")) checkService(object);
    }
    const [made] = of(render(helm, EXAMPLES[0] ?? ""), "Secret");
    expect(atob(made?.["data"].secrets)).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
    expect(of(render(helm, EXAMPLES[1] ?? ""), "Secret")).toEqual([]);
    // A claim that only one pod can mount would block a rolling update permanently.
    const single = render(helm, EXAMPLES[0] ?? "", "--set", "export.replicas=1");
    const exporter = of(single, "Deployment").find((each) => componentOf(each) === "export");
    expect(exporter?.["spec"].strategy.type).toBe("Recreate");
    const all = render(helm, EXAMPLES[1] ?? "");
    checkCertificates(render(helm, EXAMPLES[0] ?? ""));
    expect(of(all, "Secret")).toStrictEqual([]);
    const plain = render(helm, EXAMPLES[0] ?? "", "--set", "tls.dangerousPlaintext=true");
    expect(of(plain, "Secret")).toStrictEqual([]);
    for (const { spec } of of(plain, "Deployment"))
      expect(namesOf(spec.template.spec.containers[0])).toContain("ANNALS_DANGEROUS_PLAINTEXT_RPC");
    expect(of(all, "HorizontalPodAutoscaler")).toHaveLength(5);
    for (const kind of ["ConfigMap", "Ingress", "PodMonitor"])
      expect(of(all, kind), kind).toHaveLength(1);
  });

  test("is refused with a message that names the missing or misspelled value", () => {
    if (helm === undefined) return;
    const [minimal = ""] = EXAMPLES;
    const refusals: [string, string][] = [
      ["networkPolicy.postgresql.peers=[]", "networkPolicy.postgresql.peers is required"],
      ["networkPolicy.dns.peers=[]", "networkPolicy.dns.peers is required"],
      ['image.repository=""', "image.repository is required"],
      ['export.existingClaim=""', "export.s3.bucket or export.existingClaim is required"],
      ['export.s3.bucket="b"', "networkPolicy.s3.peers is required"],
      ['keys.settings.ANNALS_DATABASE_URL="x"', "ANNALS_DATABASE_URL"],
      ['gateway.settings.ANNALS_KEY_PREFIX="x"', "ANNALS_KEY_PREFIX"],
      ["gatewy.replicas=2", "gatewy"],
      [
        'tls.existingSecrets.keys="mine"',
        "tls.existingSecrets must name a Secret for every service",
      ],
    ];
    for (const [set, sentence] of refusals) {
      expect(() => render(helm, minimal, "--set-json", set), set).toThrow(sentence);
    }
  });
});

function checkDeployment(deployment: Node): void {
  const service = componentOf(deployment);
  const pod = deployment["spec"].template.spec;
  expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(pod.securityContext).toMatchObject({ seccompProfile: { type: "RuntimeDefault" } });
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
  const [main, ...others] = pod.containers as Node[];
  const inits = (pod.initContainers ?? []) as Node[];
  expect(others).toStrictEqual([]);
  expect(inits).toHaveLength(service === "gateway" ? 0 : 1);
  for (const container of [main ?? {}, ...inits]) checkContainer(service, container);
  expect(main).toMatchObject({
    livenessProbe: { httpGet: { path: "/livez", port: "admin" } },
    readinessProbe: { httpGet: { path: "/readyz", port: "admin" } },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
  });
  // The owner's login and the bootstrap key are seen by migrate alone; the gateway has neither
  // database nor NATS.
  const login = databaseSecret(main);
  expect(inits.map(databaseSecret)).not.toContainEqual(login);
  expect(login === undefined).toBe(service === "gateway");
  expect(namesOf(main)).not.toContain("ANNALS_BOOTSTRAP_KEY");
  if (service === "gateway") expect(namesOf(main)).not.toContain("ANNALS_NATS_URL");
  // With the secret, a gateway could make admissions for any account.
  const volumes = ((pod.volumes ?? []) as Node[]).map((each) => each["name"]);
  expect(volumes.includes("admission")).toBe(service !== "gateway");
  expect(namesOf(main).includes("ANNALS_ADMISSION_SECRET_FILE")).toBe(service !== "gateway");
}

function checkContainer(service: string, container: Node): void {
  expect(container["securityContext"]).toStrictEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  });
  expect(container["args"]).toContain(`services/${service}/dist/main.js`);
  expect(container["resources"].limits.memory).toMatch(/Mi$/);
  const names = namesOf(container);
  expect(names).toHaveLength(new Set(names).size);
  const settings = settingsOf(service);
  expect(names.filter((name) => !settings.has(name) && !OF_THE_SDK.has(name))).toStrictEqual([]);
}

/** Who may call whom; docs/architecture.md has the same arrows. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  keys: ["gateway"],
  ledger: ["gateway", "keys", "export", "webhook-dispatcher"],
  export: ["gateway", "webhook-dispatcher"],
  "webhook-dispatcher": ["gateway"],
};

function checkPolicy(policy: Node): void {
  const service = componentOf(policy);
  const { policyTypes, ingress, egress } = policy["spec"];
  expect(policyTypes).toStrictEqual(["Ingress", "Egress"]);
  const callers = rulesOf(ingress, 9090).flatMap((rule) => rule["from"].map(peerService));
  expect(callers).toStrictEqual([...(CALLERS[service] ?? [])]);
  const called = rulesOf(egress, 9090).flatMap((rule) => rule["to"].map(peerService));
  expect(called).toStrictEqual(Object.keys(CALLERS).filter((to) => CALLERS[to]?.includes(service)));
  // A rule without peers would let everyone in or out; one without ports is the way to the internet.
  for (const rule of egress as Node[]) expect(rule["to"].length).toBeGreaterThan(0);
  for (const rule of ingress as Node[]) {
    expect(rule["ports"].length).toBeGreaterThan(0);
    if (rule["ports"][0].port !== 8080) expect(rule["from"].length).toBeGreaterThan(0);
  }
  const open = (egress as Node[]).filter((rule) => rule["ports"] === undefined);
  expect(open).toHaveLength(service === "webhook-dispatcher" ? 1 : 0);
  for (const rule of open) {
    const [v4, v6] = (rule["to"] as Node[]).map((peer) => peer["ipBlock"]);
    expect(v4).toMatchObject({ cidr: "0.0.0.0/0" });
    expect(v4.except).toEqual(
      expect.arrayContaining(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"]),
    );
    expect(v6).toMatchObject({ cidr: "2000::/3" });
  }
  const ports = (egress as Node[]).flatMap((rule) =>
    (rule["ports"] ?? []).map((each: Node) => each["port"]),
  );
  const reached = new Set(ports.filter((port) => ![53, 9090, 4318].includes(port)));
  expect(reached.has(5432)).toBe(service !== "gateway");
  if (service === "gateway" || service === "keys") expect(reached.has(4222)).toBe(false);
  if (service !== "export") expect(reached.has(443)).toBe(false);
}

function checkService(object: Node): void {
  const isGateway = componentOf(object) === "gateway";
  const { clusterIP, type, ports } = object["spec"];
  if (isGateway) expect(type).toBe("ClusterIP");
  else expect(clusterIP).toBe("None");
  expect(ports.map((each: Node) => each["targetPort"])).toStrictEqual([isGateway ? "http" : "rpc"]);
}

function rulesOf(rules: Node[], port: number): Node[] {
  return rules.filter((rule) => (rule["ports"] ?? []).some((each: Node) => each["port"] === port));
}

const componentOf = (object: Node) => object["metadata"].labels["app.kubernetes.io/component"];
const peerService = (peer: Node) => peer["podSelector"].matchLabels["app.kubernetes.io/component"];
const namesOf = (container: Node | undefined): string[] =>
  (container?.["env"] ?? []).map((each: Node) => each["name"]);
const of = (objects: Node[], kind: string) => objects.filter((each) => each["kind"] === kind);

function databaseSecret(container: Node | undefined): Node | undefined {
  const variables = (container?.["env"] ?? []) as Node[];
  return variables.find((each) => each["name"] === "ANNALS_DATABASE_URL")?.["valueFrom"]
    .secretKeyRef;
}

function merged(base: Node, over: Node): Node {
  const isMap = (value: unknown): value is Node =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isMap(value) && isMap(below) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function findHelm(): string | undefined {
  const helm = process.env["ANNALS_TEST_HELM"] || "helm";
  try {
    execFileSync(helm, ["version"], { stdio: "ignore" });
    return helm;
  } catch {
    return undefined;
  }
}

/** Throws what helm says where it refuses. */
function render(helm: string, values: string, ...more: string[]): Node[] {
  const args = ["template", "annals", CHART, "--kube-version", "1.33.0", "-f", values, ...more];
  const text = execFileSync(helm, args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return (document.toJS() as Node | null) ?? [];
  });
}
