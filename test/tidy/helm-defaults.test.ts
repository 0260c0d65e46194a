// Guarantee: the probes, the update strategy and the Service of the gateway are those that the tests of
// upgrades rest on, unless the values say otherwise, for all services or for one. helm.test.ts says where
// helm is not there.

import { describe, expect, test } from "vitest";
import { CHART, findHelm, render } from "./run-helm.ts";
import { type Node, SERVICES, yamlOf } from "../../deploy/generate/sources.ts";

const HELM = [findHelm()].filter((helm) => helm !== undefined);

const of = (objects: Node[], kind: string) => objects.filter((each) => each["kind"] === kind);
const named = (objects: Node[], kind: string, name: string) =>
  of(objects, kind).find((each) => each["metadata"].name === name) as Node;

describe.each(HELM)("as it is tested, or as the values say, by %s", (helm) => {
  const rendered = (...sets: string[]) =>
    render(helm, undefined, ...sets.flatMap((set) => ["--set-json", set]));
  const deployment = (objects: Node[], service: string) =>
    named(objects, "Deployment", `annals-${service}`)["spec"];

  test("probes and the update strategy, for all services or for one", () => {
    const tested = rendered();
    const objects = rendered(
      'pod.readinessProbe={"periodSeconds":9}',
      'keys.pod.livenessProbe={"failureThreshold":3}',
      'keys.pod.startupProbe={"periodSeconds":5}',
      'keys.pod.updateStrategy={"type":"Recreate"}',
      'ledger.pod.updateStrategy={"rollingUpdate":{"maxSurge":"50%"}}',
    );
    const probes = (from: Node[], service: string) => {
      const [container] = deployment(from, service).template.spec.containers as [Node];
      return ["startup", "liveness", "readiness"].map((name) => container[`${name}Probe`] as Node);
    };
    const httpGet = (path: string) => ({ path, port: "admin" });
    const byDefault = [
      { httpGet: httpGet("/livez"), periodSeconds: 2, timeoutSeconds: 1, failureThreshold: 150 },
      { httpGet: httpGet("/livez"), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
      { httpGet: httpGet("/readyz"), periodSeconds: 5, timeoutSeconds: 4, failureThreshold: 2 },
    ];
    for (const service of SERVICES) expect(probes(tested, service)).toStrictEqual(byDefault);
    const [startup, liveness, readiness] = byDefault;
    const slower = { ...readiness, periodSeconds: 9 };
    expect(probes(objects, "ledger")).toStrictEqual([startup, liveness, slower]);
    expect(probes(objects, "keys")).toStrictEqual([
      { ...startup, periodSeconds: 5, failureThreshold: 60 },
      { ...liveness, failureThreshold: 3 },
      slower,
    ]);
    const rolling = (maxSurge: unknown) => ({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge, maxUnavailable: 0 },
    });
    expect(deployment(tested, "keys").strategy).toStrictEqual(rolling(1));
    expect(deployment(objects, "keys").strategy).toStrictEqual({ type: "Recreate" });
    expect(deployment(objects, "ledger").strategy).toStrictEqual(rolling("50%"));
  });

  test("the Service of the gateway", () => {
    const service = (objects: Node[]) => named(objects, "Service", "annals-gateway")["spec"];
    expect(service(rendered())).toMatchObject({ type: "ClusterIP" });
    const objects = rendered(
      'gateway.service.type="LoadBalancer"',
      'gateway.service.externalTrafficPolicy="Local"',
      'gateway.service.loadBalancerSourceRanges=["192.0.2.0/24"]',
      "gateway.service.nodePort=30080",
    );
    expect(service(objects)).toMatchObject({
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      loadBalancerSourceRanges: ["192.0.2.0/24"],
      ports: [{ nodePort: 30_080 }],
    });
    const types = of(objects, "Service").map((each) => each["spec"].type);
    expect(types.filter((type) => type === "LoadBalancer")).toHaveLength(1);
  });
});

test("the values have the tested probes", () => {
  const { pod } = yamlOf(`${CHART}/values.yaml`) as { pod: Node };
  expect(pod["livenessProbe"]).toMatchObject({ failureThreshold: 6 });
  expect(pod["updateStrategy"].rollingUpdate).toStrictEqual({ maxSurge: 1, maxUnavailable: 0 });
});
