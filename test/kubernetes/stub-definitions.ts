// Definitions of the custom resources that the chart makes, for a cluster without their operators. Used by
// platform.test.ts. Each has the members that the chart sets and no others: a strict dry run refuses a member
// in a wrong place. They must never be taken for the operators' own.

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const whole: Schema = { type: "integer" };
const texts: Schema = { type: "object", additionalProperties: text };
const list = (items: Schema): Schema => ({ type: "array", items });
const object = (properties: Record<string, Schema>): Schema => ({ type: "object", properties });

const relabelings = list(object({ action: text, regex: text, sourceLabels: list(text) }));
const selector = object({ matchLabels: texts });
const endpoint = object({
  port: text,
  path: text,
  interval: text,
  scrapeTimeout: text,
  honorLabels: flag,
  metricRelabelings: relabelings,
});

const SPECS: readonly (readonly [string, string, Schema])[] = [
  [
    "certificates.cert-manager.io/v1",
    "Certificate",
    object({
      secretName: text,
      dnsNames: list(text),
      usages: list(text),
      privateKey: object({ algorithm: text, size: whole, rotationPolicy: text }),
      issuerRef: object({ name: text, kind: text, group: text }),
    }),
  ],
  [
    "podmonitors.monitoring.coreos.com/v1",
    "PodMonitor",
    object({ selector, podMetricsEndpoints: list(endpoint) }),
  ],
  [
    "servicemonitors.monitoring.coreos.com/v1",
    "ServiceMonitor",
    object({ selector, endpoints: list(endpoint) }),
  ],
  [
    "prometheusrules.monitoring.coreos.com/v1",
    "PrometheusRule",
    object({
      groups: list(
        object({
          name: text,
          rules: list(
            object({ alert: text, expr: text, for: text, labels: texts, annotations: texts }),
          ),
        }),
      ),
    }),
  ],
  [
    "httproutes.gateway.networking.k8s.io/v1",
    "HTTPRoute",
    object({
      parentRefs: list(object({ name: text, namespace: text, sectionName: text })),
      hostnames: list(text),
      rules: list(
        object({
          matches: list(object({ path: object({ type: text, value: text }) })),
          filters: list(
            object({ type: text, responseHeaderModifier: object({ remove: list(text) }) }),
          ),
          timeouts: object({ request: text }),
          backendRefs: list(object({ name: text, port: whole })),
        }),
      ),
    }),
  ],
  [
    "scaledobjects.keda.sh/v1alpha1",
    "ScaledObject",
    object({
      scaleTargetRef: object({ name: text }),
      minReplicaCount: whole,
      maxReplicaCount: whole,
      triggers: list(object({ type: text, metricType: text, metadata: texts })),
    }),
  ],
];

/** As `kubectl apply` takes them. */
export const DEFINITIONS: readonly object[] = SPECS.map(([path, kind, spec]) => {
  const [name = "", version = ""] = path.split("/");
  const [plural = "", ...group] = name.split(".");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name,
      // The groups of Kubernetes itself ask for it.
      annotations: { "api-approved.kubernetes.io": "unapproved, a stub of a test" },
    },
    spec: {
      group: group.join("."),
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: object({ spec }) },
        },
      ],
    },
  };
});

/** What pods of the example may name. */
export const CLASSES: readonly object[] = [
  ...["high", "highest"].map((name) => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value: 1000,
  })),
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "sandboxed" },
    handler: "runc",
  },
];
