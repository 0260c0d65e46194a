// Guarantee: what the values say of a component's pods arrives in that component's pods and in no other; an
// image can be pinned, names replaced, objects added. Values that cannot work are refused with a sentence.
// The examples for other charts name metrics that are there; without helm only this is checked.

import { describe, expect, test } from "vitest";
import { CHART, findHelm, render } from "./run-helm.ts";
import { METRICS, type Node, SERVICES, textOf, yamlOf } from "../../deploy/generate/sources.ts";

const MINIMAL = `${CHART}/ci/minimal-values.yaml`;
const FULL = `${CHART}/ci/full-values.yaml`;
const MONITORED = `networkPolicy.metrics.from=[{"podSelector":{}}]`;

/** One or none: helm.test.ts says when it is not there. */
const HELM = [findHelm()].filter((helm) => helm !== undefined);

const of = (objects: Node[], kind: string) => objects.filter((each) => each["kind"] === kind);
const componentOf = (object: Node) => object["metadata"].labels["app.kubernetes.io/component"];
const named = (objects: Node[], kind: string, name: string) =>
  of(objects, kind).find((each) => each["metadata"].name === name) as Node;

describe.each(HELM)("every value on, by %s", (helm) => {
  const objects = render(helm, FULL);
  const pods = [...of(objects, "Deployment"), ...of(objects, "Job")].map((object) => ({
    component: componentOf(object),
    ...(object["spec"].template as { metadata: Node; spec: Node }),
  }));

  test("the members of `pod` are in every pod; those of one component are in its pods alone", () => {
    expect(new Set(pods.map(({ component }) => component))).toStrictEqual(
      new Set([...SERVICES, "migrate"]),
    );
    for (const { component, metadata, spec } of pods) {
      const isKeys = component === "keys";
      expect(metadata["annotations"]).toMatchObject({ "example.com/team": "audit" });
      expect(metadata["annotations"]["example.com/tier"]).toBe(isKeys ? "keys" : undefined);
      expect(metadata["labels"]["example.com/tier"]).toBe(isKeys ? "admission" : "backend");
      expect(spec["nodeSelector"]).toStrictEqual({
        "kubernetes.io/os": "linux",
        ...(isKeys ? { "example.com/pool": "keys" } : {}),
        ...(component === "migrate" ? { "example.com/pool": "batch" } : {}),
      });
      expect(spec["tolerations"]).toMatchObject([{ key: isKeys ? "keys" : "dedicated" }]);
      expect(spec["priorityClassName"]).toBe(isKeys ? "highest" : "high");
      expect(spec["affinity"]).toHaveProperty("podAntiAffinity");
      expect(spec["runtimeClassName"]).toBe("sandboxed");
      expect(spec["imagePullSecrets"]).toStrictEqual([{ name: "registry" }]);
      expect(spec["volumes"]).toContainEqual({ name: "extra", configMap: { name: "extra" } });
      for (const container of spec["containers"] as Node[]) {
        expect(container["image"]).toMatch(
          /^registry\.example\/annals:0\.1\.0-rc\.1@sha256:\w{64}$/,
        );
        expect(container["env"]).toContainEqual(expect.objectContaining({ name: "HTTPS_PROXY" }));
        // A million of a YAML file is a float to Helm, 1e+06.
        for (const { value = "" } of container["env"] as Node[])
          expect(value).not.toMatch(/^\de\+/);
        expect(container["volumeMounts"]).toContainEqual(
          expect.objectContaining({ mountPath: "/etc/extra" }),
        );
      }
      if (component === "migrate") continue;
      expect(spec["containers"][0].startupProbe).toMatchObject({ failureThreshold: 300 });
      const spread = spec["topologySpreadConstraints"] as Node[];
      expect(spread.map((each) => each["topologyKey"])).toStrictEqual(
        isKeys ? ["example.com/rack"] : ["kubernetes.io/hostname", "topology.kubernetes.io/zone"],
      );
      for (const { labelSelector } of spread)
        expect(labelSelector.matchLabels["app.kubernetes.io/component"]).toBe(component);
    }
  });

  test("the names are those of the overrides, in every object and every selector", () => {
    const ours = objects.filter(({ metadata }) => metadata.labels !== undefined);
    expect(ours.length).toBeGreaterThan(30);
    for (const { metadata } of ours) {
      expect(metadata.name).toMatch(/^audit-/);
      expect(metadata.labels["app.kubernetes.io/name"]).toBe("audit");
      expect(metadata.labels["example.com/cost-centre"]).toBe("42");
    }
    expect(JSON.stringify(objects)).not.toContain('"app.kubernetes.io/name":"annals"');
    const route = named(objects, "HTTPRoute", "audit-log-gateway");
    const [{ backendRefs }] = route["spec"].rules;
    expect(backendRefs).toStrictEqual([{ name: "audit-log-gateway", port: 80 }]);
    expect(route["spec"]).toMatchObject({ hostnames: ["audit.example"] });
    for (const name of ["audit-log-extra", "annals-text"])
      expect(named(objects, "ConfigMap", name), name).toBeDefined();
  });

  test("an autoscaler has CPU, the metrics of pods and what was added, in this order", () => {
    const { metrics, behavior } = named(objects, "HorizontalPodAutoscaler", "audit-log-gateway")[
      "spec"
    ];
    expect(metrics).toMatchObject([
      { type: "Resource" },
      {
        type: "Pods",
        pods: { metric: { name: "annals_requests_in_flight" }, target: { averageValue: "20" } },
      },
      { type: "Object" },
    ]);
    expect(behavior).toStrictEqual({ scaleDown: { stabilizationWindowSeconds: 60 } });
    const { metrics: ofKeys } = named(objects, "HorizontalPodAutoscaler", "audit-log-keys")["spec"];
    expect(ofKeys).toHaveLength(1);
  });

  test("a ConfigMap for each dashboard has the label of the sidecar and the file", () => {
    const dashboards = of(objects, "ConfigMap").filter(
      (each) => "grafana_dashboard" in (each["metadata"].labels ?? {}),
    );
    expect(dashboards).toHaveLength(SERVICES.length + 2);
    for (const { metadata, data } of dashboards) {
      expect(metadata).toMatchObject({
        namespace: "monitoring",
        annotations: { grafana_folder: "Annals" },
      });
      for (const [file, text] of Object.entries<string>(data))
        expect(`${text}\n`).toBe(textOf(`${CHART}/dashboards/${file}`));
    }
  });
});

describe.each(HELM)("rendered by %s", (helm) => {
  const rendered = (...more: string[]) => render(helm, undefined, ...more);

  test("a ServiceMonitor selects the Service of its own, which has the admin port of every service", () => {
    const objects = rendered("--set", "serviceMonitor.enabled=true", "--set-json", MONITORED);
    const service = named(objects, "Service", "annals-metrics");
    const { selector, endpoints } = named(objects, "ServiceMonitor", "annals")["spec"];
    expect(service["metadata"].labels).toMatchObject(selector.matchLabels);
    expect(endpoints).toMatchObject([{ port: service["spec"].ports[0].name, honorLabels: true }]);
    expect(service["spec"]).toMatchObject({ publishNotReadyAddresses: true, clusterIP: "None" });
    for (const { spec } of of(objects, "Deployment"))
      expect(spec.template.metadata.labels).toMatchObject(
        spec.template.spec.containers[0].name === "nats" ? {} : service["spec"].selector,
      );
    const others = of(objects, "Service").filter((each) => each !== service);
    expect(JSON.stringify(others)).not.toContain("9091");
  });

  test("`helm test` reaches the gateway and is reached, for as long as it runs, and leaves nothing", () => {
    const objects = rendered("--set", "tests.webhook=true");
    const hooks = objects.filter(
      (each) => each["metadata"].annotations?.["helm.sh/hook"] === "test",
    );
    expect(hooks.map((each) => each["kind"])).toStrictEqual([
      "NetworkPolicy",
      "NetworkPolicy",
      "ConfigMap",
      "Service",
      "Pod",
    ]);
    for (const { metadata } of hooks)
      expect(metadata.annotations["helm.sh/hook-delete-policy"]).toContain("hook-succeeded");
    const dispatcher = named(objects, "Deployment", "annals-webhook-dispatcher");
    expect(dispatcher["spec"].template.spec.containers[0].env).toEqual(
      expect.arrayContaining([
        { name: "ANNALS_WEBHOOK_CA_FILE", value: "/etc/annals/tls/ca.crt" },
        { name: "ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES", value: "true" },
      ]),
    );
    expect(JSON.stringify(rendered())).not.toContain("DANGEROUS_ALLOW");
  });

  test("a ServiceAccount of yours takes the place of the chart's", () => {
    const objects = rendered("--set", "gateway.serviceAccountName=mine");
    const { spec } = named(objects, "Deployment", "annals-gateway")["spec"].template;
    expect(spec.serviceAccountName).toBe("mine");
    expect(of(objects, "ServiceAccount")).toHaveLength(SERVICES.length - 1);
  });

  test("`replicas: null` leaves the number of pods to something else", () => {
    const gateway = named(
      rendered("--set", "gateway.replicas=null"),
      "Deployment",
      "annals-gateway",
    );
    expect(gateway["spec"]).not.toHaveProperty("replicas");
    const keda = render(helm, `${CHART}/examples/keda.yaml`);
    expect(of(keda, "ScaledObject")[0]?.["spec"].scaleTargetRef.name).toBe("annals-gateway");
  });
});

describe.each(HELM)("refused by %s", (helm) => {
  const cases: readonly (readonly [string, string])[] = [
    [
      'gateway.autoscaling={"enabled":true,"minReplicas":9,"maxReplicas":3}',
      "gateway.autoscaling.minReplicas is 9, above gateway.autoscaling.maxReplicas, which is 3",
    ],
    [
      'keys.autoscaling={"enabled":true,"targetCPUUtilizationPercentage":null}',
      "keys.autoscaling needs targetCPUUtilizationPercentage",
    ],
    ["export.replicas=null", "need export.s3.bucket"],
    ["podMonitor.enabled=true", "networkPolicy.metrics.from is required with podMonitor.enabled"],
    [
      "serviceMonitor.enabled=true",
      "networkPolicy.metrics.from is required with serviceMonitor.enabled",
    ],
    ["httpRoute.enabled=true", "httpRoute.parentRefs is required"],
    ["ingress.enabled=true", "ingress.host is required"],
    ['podMonitor.interval="30"', "podMonitor/interval"],
    ['serviceMonitor.interval="half a minute"', "serviceMonitor/interval"],
    ["httpRoute.timeouts.request=600", "httpRoute/timeouts/request"],
    ['image.digest="sha256:abc"', "image/digest"],
    ['postgresql.storage="ten gigabytes"', "postgresql/storage"],
    ['gateway.resources.limits.memory="512 MB"', "gateway/resources/limits/memory"],
    ["gateway.resources.limit={}", "limit"],
    ['gateway.autoscaling.podMetrics={"m":"many"}', "podMetrics"],
    ["gateway.autoscaling.minReplicas=0", "minReplicas"],
    ['pod.extraEnv=[{"name":"ANNALS_PORT","value":"1"}]', "pod/extraEnv/0/name"],
    ['pod.extraSpec={"hostNetwork":true}', "invalid propertyName 'hostNetwork'"],
    ['gateway.service.type="ExternalName"', "gateway/service/type"],
    [
      'gateway.service.loadBalancerSourceRanges=["192.0.2.0/24"]',
      "gateway.service.loadBalancerSourceRanges needs gateway.service.type LoadBalancer",
    ],
    [
      'gateway.service.externalTrafficPolicy="Local"',
      "gateway.service.externalTrafficPolicy needs gateway.service.type NodePort or LoadBalancer",
    ],
    [
      "gateway.service.nodePort=30080",
      "gateway.service.nodePort needs gateway.service.type NodePort or LoadBalancer",
    ],
    ['pod.livenessProbe={"failureThreshold":0}', "pod/livenessProbe/failureThreshold"],
    ['pod.livenessProbe={"httpGet":{}}', "httpGet"],
    ['keys.pod.updateStrategy={"type":"OnDelete"}', "keys/pod/updateStrategy/type"],
    ["pod.startupSeconds=1", "pod/startupSeconds"],
    ["keys.pod.nodeselector={}", "nodeselector"],
    ['pod.topologySpreadConstraints=[{"topologyKey":"z"}]', "maxSkew"],
    ['nameOverride="Annals!"', "nameOverride"],
    ["extraObjects=[1]", "extraObjects"],
    ["dashboards.enable=true", "enable"],
    ["migrate.waitSeconds=-1", "migrate/waitSeconds"],
    ['keys.replicas="two"', "keys/replicas"],
  ];

  test.each(cases)("%s", (set, sentence) => {
    expect(() => render(helm, undefined, "--set-json", set)).toThrow(sentence);
  });

  const together: readonly (readonly [string, string, ...string[]])[] = [
    [
      "every pod would be scraped twice",
      MINIMAL,
      "podMonitor.enabled=true",
      "serviceMonitor.enabled=true",
      MONITORED,
    ],
    ["tests.webhook needs certificates", FULL, "tests.webhook=true"],
    [
      "tests.webhook and webhookDispatcher.caBundle are both set",
      MINIMAL,
      "tests.webhook=true",
      'webhookDispatcher.caBundle.configMap="ca"',
    ],
  ];

  test.each(together)("together: %s", (sentence, file, ...sets) => {
    const given = sets.flatMap((set) => ["--set-json", set]);
    expect(() => render(helm, file, ...given)).toThrow(sentence);
  });
});

test("the examples for other charts name metrics that are there", () => {
  for (const file of ["prometheus-adapter", "keda"]) {
    const names = textOf(`${CHART}/examples/${file}.yaml`).match(/\bannals_\w+(?=\{)/g) ?? [];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(METRICS.has(name.replace(/_(sum|count)$/, "")), name).toBe(true);
  }
  const served = (
    yamlOf(`${CHART}/examples/prometheus-adapter.yaml`)["rules"].custom as Node[]
  ).map((rule) => rule["name"].as as string);
  const asked = Object.values<Node>(yamlOf(`${CHART}/examples/autoscaling.yaml`)).flatMap(
    ({ autoscaling }) => Object.keys(autoscaling.podMetrics),
  );
  expect(asked.toSorted()).toStrictEqual(served.toSorted());
});
