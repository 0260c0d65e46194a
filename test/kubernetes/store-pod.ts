// A pod of the test that stands beside one of the chart's stores, and the policy that lets the two reach each
// other. Called by standby.ts and slowed.test.ts. It must never have more rights than the level "restricted".

export type Store = "postgresql" | "nats";

export const labelsOf = (store: Store): Record<string, string> => ({
  "app.kubernetes.io/name": "annals",
  "app.kubernetes.io/instance": "annals",
  "app.kubernetes.io/component": store,
});

/** Of every container. */
export const UNPRIVILEGED = {
  imagePullPolicy: "IfNotPresent",
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};

interface StorePod {
  readonly name: string;
  readonly store: Store;
  readonly user: number;
  /** Beside those of the store, which the policies select. */
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: object;
}

export function storePod({ name, store, user, labels, spec }: StorePod): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { ...labelsOf(store), ...labels } },
    spec: {
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        fsGroup: user,
        seccompProfile: { type: "RuntimeDefault" },
      },
      ...spec,
    },
  };
}

/** As an operator of the store brings it. */
export function peersPolicy(name: string, store: Store): object {
  const matchLabels = labelsOf(store);
  const peers = [{ podSelector: { matchLabels } }];
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name },
    spec: {
      podSelector: { matchLabels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: peers }],
      egress: [{ to: peers }, { ports: [{ port: 53, protocol: "UDP" }] }],
    },
  };
}
