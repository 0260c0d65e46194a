// Guarantee: with synchronous replication, no append is answered that the new primary lacks. PostgreSQL's
// primary dies while its standby lags, the standby is promoted, and the name is switched to it. No pod of a
// service restarts, and all serve again by themselves.

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, SERVICES, SMALL, WITHIN_MS } from "./installation.ts";
import { eventually, type Namespace } from "./namespace.ts";

const REPLICAS = 2;
const LAGS_MS = 3_000;
const [FIRST, SECOND] = ["postgresql-first", "postgresql-second"];
const password = randomBytes(16).toString("hex");
const BACKENDS = {
  keys: "keys",
  ledger: "ledger",
  export: "export",
  webhookDispatcher: "webhooks",
};

const SERVE = `exec postgres -D /data/db -c listen_addresses='*' -c unix_socket_directories=/tmp -c max_connections=200`;
const PATH = "PATH=$PATH:/usr/lib/postgresql/18/bin";
const PRIMARY = `${PATH}; printf %s $PGPASSWORD > /tmp/password
initdb -D /data/db -U postgres --auth-host=scram-sha-256 --auth-local=trust --pwfile=/tmp/password
printf 'host all all all scram-sha-256\\nhost replication all all scram-sha-256\\n' >> /data/db/pg_hba.conf
${SERVE}`;
const STANDBY = `${PATH}; until pg_basebackup -h postgresql -U postgres -D /data/db -R -c fast; do rm -rf /data/db; sleep 1; done
${SERVE}`;

let installation: Installation;

const kubectl = (...words: string[]) => installation.namespace.kubectl(...words);
const sql = (namespace: Namespace, pod: string, ...statements: string[]) => {
  const commands = statements.flatMap((each) => ["-c", each]);
  return namespace.kubectl(
    "exec",
    pod,
    "--",
    "psql",
    "-h",
    "/tmp",
    "-U",
    "postgres",
    "-At",
    ...commands,
  );
};
const lead = (namespace: Namespace, pod: string) =>
  namespace.kubectl("label", "pod", pod, "leads=yes");

function server(name: string, script: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "postgresql" } },
    spec: {
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 999,
        runAsGroup: 999,
        fsGroup: 999,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "postgresql",
          image: "postgres:18",
          imagePullPolicy: "IfNotPresent",
          command: ["sh", "-c", script],
          env: [{ name: "PGPASSWORD", value: password }],
          readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
}

function secret(name: string, stringData: Record<string, string>): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData };
}

/** A primary and a synchronous standby behind one name. */
async function startServers(namespace: Namespace): Promise<object> {
  const urls = ["owner", ...Object.values(BACKENDS)].map((name): [string, string] => [
    name,
    `postgres://annals_${name}${name === "owner" ? "" : "_login"}:${password}@postgresql:5432/annals`,
  ]);
  await namespace.apply(
    secret("database", Object.fromEntries(urls)),
    secret("annals-bootstrap-key", { key: `annals_sk_${randomBytes(20).toString("hex")}` }),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "postgresql" },
      spec: { selector: { leads: "yes" }, ports: [{ port: 5432 }] },
    },
    server(FIRST, PRIMARY),
    server(SECOND, STANDBY),
  );
  await lead(namespace, FIRST);
  await namespace.kubectl(
    "wait",
    "--for=condition=Ready",
    `pod/${FIRST}`,
    `pod/${SECOND}`,
    "--timeout=180s",
  );
  await sql(
    namespace,
    FIRST,
    `CREATE ROLE annals_owner LOGIN CREATEROLE PASSWORD '${password}'`,
    "CREATE DATABASE annals OWNER annals_owner",
    "ALTER SYSTEM SET synchronous_standby_names = '*'",
    "SELECT pg_reload_conf()",
  );
  await eventually(WITHIN_MS, async () => {
    const states = await sql(namespace, FIRST, "SELECT sync_state FROM pg_stat_replication");
    return states.trim() === "sync" || undefined;
  });
  const databases = Object.entries(BACKENDS).map(([member, key]): [string, object] => [
    member,
    {
      ...SMALL,
      databaseUrl: { secret: "database", key },
      migrateUrl: { secret: "database", key: "owner" },
      ...(member === "keys" && { bootstrapKey: { secret: "annals-bootstrap-key" } }),
      ...(member === "export" && { claim: { accessMode: "ReadWriteMany" } }),
    },
  ]);
  return {
    ...Object.fromEntries(databases),
    nats: { enabled: true },
    networkPolicy: {
      postgresql: { peers: [{ podSelector: { matchLabels: { app: "postgresql" } } }] },
    },
  };
}

beforeAll(async () => {
  installation = await Installation.create(startServers);
});
afterAll(() => installation?.namespace.remove());

test("the primary dies while its standby lags, and nothing acknowledged is lost", async () => {
  const { namespace } = installation;
  const ready = async () =>
    (await Promise.all(SERVICES.map((each) => installation.ready(each, REPLICAS)))).flat();
  const before = await ready();
  const receiver = await sql(namespace, SECOND, "SELECT pid FROM pg_stat_wal_receiver");
  const signal = (name: string) =>
    kubectl("exec", SECOND, "--", "sh", "-c", `kill -${name} ${receiver.trim()}`);
  const { statuses } = await installation.underLoad(async () => {
    await signal("STOP");
    // For this long what the primary commits is not on the standby.
    await delay(LAGS_MS);
    await kubectl("delete", "pod", FIRST, "--grace-period=0", "--force");
    await signal("CONT");
    await sql(namespace, SECOND, "SELECT pg_promote()");
    await lead(namespace, SECOND);
    await eventually(WITHIN_MS, async () => {
      const { status } = await installation.request("POST", "/v1/events", { action: "again" });
      return status === 201 || undefined;
    });
  });
  expect(Object.keys(statuses).length).toBeGreaterThan(1);
  expect(await ready()).toStrictEqual(before);
});
