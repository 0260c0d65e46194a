// Guarantee: the chart sets only settings that a service has, keeps every container at the restricted
// level, and lets each service reach what docs/kubernetes.md says and nothing else. The source of the chart
// is always checked; with helm on the PATH, or ANNALS_TEST_HELM naming it, the rendered manifests too.

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { checkAdminApi, isAdminApi } from "./helm-admin-api.ts";
import { checkBacking, checkMigrations } from "./helm-backing.ts";
import { checkCertificates } from "./helm-certificates.ts";
import { checkPolicy } from "./helm-policies.ts";
import { CHART, findHelm, render } from "./run-helm.ts";
import {
  FILES,
  matches,
  type Node,
  SERVICES,
  settingsOf,
  textOf,
  yamlOf,
} from "../../deploy/generate/sources.ts";

const SCHEMA = JSON.parse(textOf(`${CHART}/values.schema.json`)) as Node;
const EXAMPLES = ["ci/minimal", "ci/full", "production"].map(
  (name) => `${CHART}/${name}-values.yaml`,
);
/** Each is given beside other values. */
const PARTS = ["monitoring", "autoscaling", "keda", "cloudnativepg"].map(
  (name) => `${CHART}/examples/${name}.yaml`,
);

const PER_SERVICE = "Deployment Service NetworkPolicy ServiceAccount PodDisruptionBudget".split(
  " ",
);

/** Read by the SDKs of the storage and of OpenTelemetry, or an `extraEnv`; not by a config.ts. */
const OF_THE_SDK =
  /^(AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)|OTEL_EXPORTER_OTLP_HEADERS|HTTPS_PROXY)$/;

describe("the source of the chart", () => {
  test("the values and the examples are what the schema describes", () => {
    const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(SCHEMA);
    const values = yamlOf(`${CHART}/values.yaml`);
    for (const given of [
      values,
      ...[...EXAMPLES, ...PARTS].map((path) => merged(values, yamlOf(path))),
    ]) {
      validate(given);
      expect(validate.errors ?? []).toStrictEqual([]);
    }
    // Every member is described: one that is misspelled is refused at the install.
    expect(Object.keys(SCHEMA["properties"]).toSorted()).toStrictEqual(
      [...Object.keys(values), "global"].toSorted(),
    );
  });

  test("the environment in the templates is made of settings", () => {
    const known = new Set(SERVICES.flatMap((service) => [...settingsOf(service)]));
    const template = textOf(`${CHART}/templates/_environment.tpl`);
    const names = (template.match(/\b(ANNALS|AWS)_\w+\b/g) ?? []).filter(
      (name) => name !== "ANNALS_" && !OF_THE_SDK.test(name),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !known.has(name))).toStrictEqual([]);
  });

  test("every container is under the restricted level, and no pod has a token or links of services", () => {
    const pods = FILES.filter(({ path }) => path.startsWith(`${CHART}/templates/`));
    const security = textOf(`${CHART}/templates/_pod.tpl`);
    for (const line of [
      "allowPrivilegeEscalation: false",
      "readOnlyRootFilesystem: true",
      "runAsNonRoot: true",
      "capabilities: { drop: [ALL] }",
    ]) {
      expect(security).toContain(line);
    }
    expect(security).toContain("enableServiceLinks: false");
    expect(security).toContain("automountServiceAccountToken: false");
    const counts = pods.map(({ text }) =>
      [/^ +image: /gm, /include "annals.containerSecurity"/g, /include "annals.scheduling"/g].map(
        (each) => matches(text, each).length,
      ),
    );
    const withImage = counts.filter(([images]) => images !== 0);
    expect(withImage).toHaveLength(5);
    for (const each of withImage) expect(each).toStrictEqual([1, 1, 1]);
  });

  test("no port of a node, no rights of a node, no debugger", () => {
    const deployment = FILES.filter(({ path }) =>
      /^(helm|deploy\/(Dockerfile|compose))/.test(path),
    );
    const forbidden = /hostPort|hostNetwork|hostPID|hostPath|privileged: true|--inspect/;
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
      checkServices(objects);
      checkMigrations(objects, checkContainer);
      const hook = of(objects, "Job")[0]?.["metadata"].annotations["helm.sh/hook"];
      expect(hook).toBe("pre-install,pre-upgrade");
      expect(of(objects, "StatefulSet")).toStrictEqual([]);
    }
    const without = render(helm);
    checkServices(without);
    checkMigrations(without, checkContainer);
    checkBacking(without);
    const made = of(render(helm, EXAMPLES[0] ?? ""), "Secret").find(
      ({ metadata }) => metadata.name === "annals-admission",
    );
    expect(atob(made?.["data"].secrets)).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
    // A claim that only one pod can mount would block a rolling update permanently.
    const single = render(helm, EXAMPLES[0] ?? "", "--set", "export.replicas=1");
    const exporter = of(single, "Deployment").find((each) => componentOf(each) === "export");
    expect(exporter?.["spec"].strategy.type).toBe("Recreate");
    const all = render(helm, EXAMPLES[1] ?? "");
    checkCertificates(render(helm, EXAMPLES[0] ?? ""));
    expect(of(all, "Secret")).toStrictEqual([]);
    const plain = render(helm, EXAMPLES[0] ?? "", "--set", "tls.dangerousPlaintext=true");
    expect(of(plain, "Secret").map(componentOf)).toStrictEqual(["admission"]);
    for (const { spec } of of(plain, "Deployment"))
      expect(namesOf(spec.template.spec.containers[0])).toContain("ANNALS_DANGEROUS_PLAINTEXT_RPC");
    // kubernetes.io/h2c on a port with TLS: a mesh or a gateway would speak plain text to it.
    expect(rpcProtocols(all)).toStrictEqual(["https", "https", "https", "https"]);
    expect(new Set(rpcProtocols(plain))).toStrictEqual(new Set(["kubernetes.io/h2c"]));
    expect(of(all, "HorizontalPodAutoscaler")).toHaveLength(5);
    for (const kind of ["Ingress", "HTTPRoute", "PodMonitor", "PrometheusRule"])
      expect(of(all, kind), kind).toHaveLength(1);
  });

  test("is refused with a message that names the missing or misspelled value", () => {
    if (helm === undefined) return;
    const [minimal = ""] = EXAMPLES;
    const refusals: [string, string][] = [
      ["networkPolicy.postgresql.peers=[]", "networkPolicy.postgresql.peers is required"],
      ["networkPolicy.dns.peers=[]", "networkPolicy.dns.peers is required"],
      ['image.repository=""', "image.repository is required"],
      ["postgresql.enabled=true", "postgresql.enabled is true, and keys.databaseUrl names"],
      ['keys.databaseUrl.secret=""', "keys.databaseUrl.secret is required"],
      ['export.s3.bucket="b"', "networkPolicy.s3.peers is required"],
      ['keys.settings.ANNALS_DATABASE_URL="x"', "ANNALS_DATABASE_URL"],
      ['gateway.settings.ANNALS_KEY_PREFIX="x"', "ANNALS_KEY_PREFIX"],
      ["gatewy.replicas=2", "gatewy"],
      ['keys.adminApi.tokens.secret="t"', "keys.adminApi.from is required"],
      [
        'tls.existingSecrets.keys="mine"',
        "tls.existingSecrets must name a Secret for every service",
      ],
    ];
    for (const [set, sentence] of refusals) {
      expect(() => render(helm, minimal, "--set-json", set), set).toThrow(sentence);
    }
    const alone = () => render(helm, undefined, "--set", "postgresql.enabled=false");
    expect(alone).toThrow("networkPolicy.postgresql.peers is required");
  });
});

/** What each service has, whatever is beside them. */
function checkServices(objects: Node[]): void {
  checkAdminApi(objects);
  const ofServices = objects.filter(
    (each) => SERVICES.includes(componentOf(each)) && !isAdminApi(each),
  );
  for (const kind of PER_SERVICE) expect(of(ofServices, kind), kind).toHaveLength(5);
  for (const object of of(ofServices, "Deployment")) checkDeployment(object);
  for (const object of of(ofServices, "NetworkPolicy")) checkPolicy(object);
  for (const object of of(ofServices, "Service")) checkService(object);
}

function checkDeployment(deployment: Node): void {
  const service = componentOf(deployment);
  const pod = deployment["spec"].template.spec;
  expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(pod.securityContext).toMatchObject({ seccompProfile: { type: "RuntimeDefault" } });
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
  const [main, ...others] = pod.containers as Node[];
  expect(others).toStrictEqual([]);
  expect(pod.initContainers).toBeUndefined();
  checkContainer(service, main ?? {});
  expect(main).toMatchObject({
    livenessProbe: { httpGet: { path: "/livez", port: "admin" } },
    readinessProbe: { httpGet: { path: "/readyz", port: "admin" } },
  });
  // A gateway asks its clients to close their connections meanwhile.
  const preStop = { sleep: { seconds: expect.any(Number) } };
  expect(main?.["lifecycle"]).toStrictEqual(service === "gateway" ? undefined : { preStop });
  expect(namesOf(main).includes("ANNALS_SHUTDOWN_DELAY_S")).toBe(service === "gateway");
  // The bootstrap key is seen by migrate alone; the gateway has neither database nor NATS.
  expect(namesOf(main).includes("ANNALS_DATABASE_URL")).toBe(service !== "gateway");
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
  expect(names.filter((name) => !settings.has(name) && !OF_THE_SDK.test(name))).toStrictEqual([]);
}

function checkService(object: Node): void {
  const isGateway = componentOf(object) === "gateway";
  const { clusterIP, type, ports } = object["spec"];
  if (isGateway) expect(type).toBe("ClusterIP");
  else expect(clusterIP).toBe("None");
  expect(ports.map((each: Node) => each["targetPort"])).toStrictEqual([isGateway ? "http" : "rpc"]);
}

const componentOf = (object: Node) => object["metadata"].labels?.["app.kubernetes.io/component"];
const namesOf = (container: Node | undefined): string[] =>
  (container?.["env"] ?? []).map((each: Node) => each["name"]);
const of = (objects: Node[], kind: string) => objects.filter((each) => each["kind"] === kind);

function merged(base: Node, over: Node): Node {
  const isMap = (value: unknown): value is Node =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isMap(value) && isMap(below) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function rpcProtocols(objects: Node[]): unknown[] {
  const ports = of(objects, "Service").flatMap(({ spec }) => spec.ports as Node[]);
  return ports.filter(({ name }) => name === "rpc").map(({ appProtocol }) => appProtocol);
}
