// A standby of the chart's PostgreSQL in a pod of its own, and the Service that moves to it. Called by
// failover.test.ts. It must never touch the primary's files but for the settings of replication.

import { WITHIN_MS } from "./installation.ts";
import { eventually, type Namespace } from "./namespace.ts";
import { labelsOf, peersPolicy, storePod, UNPRIVILEGED } from "./store-pod.ts";

export const PRIMARY = "annals-postgresql-0";
const STANDBY = "standby";
const SERVICE = "annals-postgresql";
const IMAGE = "postgres:18";
const POD_NAME = "statefulset.kubernetes.io/pod-name";
const DATA = "/var/lib/postgresql/18/docker";

/** Of the well-known image and of the test's: neither has a user of another number. */
const USER = 999;

/** Copies the folder of the primary, which is stopped meanwhile: its log goes on where the copy ends. */
const COPY = `set -eu
cp -a /primary/18/docker/. ${DATA}
chmod 0700 ${DATA}
touch ${DATA}/standby.signal
echo "primary_conninfo = 'host=primary user=postgres password=$PASSWORD application_name=${STANDBY}'" >> ${DATA}/postgresql.auto.conf`;

/** Resolves when the standby has all that the primary has, and every commit waits for it. */
export async function startStandby(namespace: Namespace): Promise<void> {
  const primary = (script: string) => namespace.kubectl("exec", PRIMARY, "--", "sh", "-c", script);
  await nameLeadsTo(namespace, PRIMARY);
  await primary(`echo 'host replication all all scram-sha-256' >> ${DATA}/pg_hba.conf`);
  await scale(namespace, 0);
  const settings = [
    "statefulset",
    SERVICE,
    "-o",
    "jsonpath={.spec.template.spec.containers[0].args}",
  ];
  const args = JSON.parse((await namespace.kubectl("get", ...settings)) || "[]") as string[];
  await namespace.apply(
    headlessService(),
    peersPolicy("replication", "postgresql"),
    standbyPod(args),
  );
  const copied = ["wait", "--for=condition=Initialized", `pod/${STANDBY}`, "--timeout=180s"];
  await namespace.kubectl(...copied);
  await scale(namespace, 1);
  await primary(`echo "synchronous_standby_names = '${STANDBY}'" >> ${DATA}/postgresql.conf
    pg_ctl reload --pgdata ${DATA}`);
}

/** The standby becomes the primary, and then the name leads to it. */
export async function promote(namespace: Namespace): Promise<void> {
  await namespace.kubectl("exec", STANDBY, "--", "pg_ctl", "promote", "--wait", "--pgdata", DATA);
  await nameLeadsTo(namespace, STANDBY);
}

async function nameLeadsTo(namespace: Namespace, pod: string): Promise<void> {
  const patch = JSON.stringify({
    spec: { selector: { ...labelsOf("postgresql"), [POD_NAME]: pod } },
  });
  await namespace.kubectl("patch", "service", SERVICE, "--patch", patch);
}

async function scale(namespace: Namespace, replicas: 0 | 1): Promise<void> {
  await namespace.kubectl("scale", `statefulset/${SERVICE}`, `--replicas=${replicas}`);
  await eventually(WITHIN_MS, async () => {
    const found = await namespace.kubectl(
      "get",
      "pod",
      PRIMARY,
      "--ignore-not-found",
      "-o",
      "name",
    );
    return (found === "") === (replicas === 0) || undefined;
  });
  if (replicas === 0) return;
  await namespace.kubectl("wait", "--for=condition=Ready", `pod/${PRIMARY}`, "--timeout=180s");
}

/** The name by which the standby reaches the primary. */
function headlessService(): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "primary" },
    spec: { clusterIP: "None", selector: { [POD_NAME]: PRIMARY }, ports: [{ port: 5432 }] },
  };
}

/** With the settings of the primary: it follows with no smaller ones. */
function standbyPod(args: readonly string[]): object {
  const container = { ...UNPRIVILEGED, image: IMAGE };
  const data = { name: "data", mountPath: "/var/lib/postgresql" };
  const secret = { name: SERVICE, key: "superuser" };
  return storePod({
    name: STANDBY,
    store: "postgresql",
    user: USER,
    labels: { [POD_NAME]: STANDBY },
    spec: {
      initContainers: [
        {
          ...container,
          name: "copy",
          command: ["sh", "-c", `mkdir -p ${DATA}\n${COPY}`],
          env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: secret } }],
          volumeMounts: [data, { name: "primary", mountPath: "/primary" }],
        },
      ],
      containers: [
        {
          ...container,
          name: "postgresql",
          args,
          env: [{ name: "PGDATA", value: DATA }],
          ports: [{ name: "postgresql", containerPort: 5432 }],
          readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
          volumeMounts: [data],
        },
      ],
      volumes: [
        { name: "data", emptyDir: {} },
        { name: "primary", persistentVolumeClaim: { claimName: `data-${PRIMARY}` } },
      ],
    },
  });
}
