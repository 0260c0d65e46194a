// Guarantee: who may open a connection to whom is what the table of docs/kubernetes-reference.md (Allowed
// connections) says, both ways, for every service, the Job of migrations, PostgreSQL, NATS, DNS, a scraper,
// a receiver of webhooks and the pod of a stranger. The control: without the policies every connection opens.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { IMAGE, Installation, SERVICES } from "./installation.ts";
import { eventually, type Namespace, WAIT } from "./namespace.ts";

const PAGE = join(resolve(import.meta.dirname, "../.."), "docs/kubernetes-reference.md");
const ENFORCED_WITHIN_MS = 60_000;

/** The rows of the table by their names: each has its cells by the names of the columns. */
const TABLE = tableOf(readFileSync(PAGE, "utf8"));

function tableOf(page: string): Map<string, Map<string, string>> {
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", ""));
  const lines = page.slice(page.indexOf("| From, to |")).split("\n\n")[0]!.split("\n");
  const [head, , ...rows] = lines.map(cells);
  return new Map(
    rows.map(([from, ...outcomes]) => [
      from!,
      new Map(outcomes.map((outcome, index) => [head![index + 1]!, outcome])),
    ]),
  );
}

/** Pods with the labels of others, which are never ready: no Service leads to them. */
const PROBES: Record<string, Record<string, string>> = {
  "Job of migrations": component("migrate"),
  PostgreSQL: component("postgresql"),
  NATS: component("nats"),
  scraper: { app: "scraper" },
};

function component(name: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": "annals",
    "app.kubernetes.io/instance": "annals",
    "app.kubernetes.io/component": name,
  };
}

const nameOfProbe = (row: string) => `probe-${row.toLowerCase().replaceAll(" ", "-")}`;

/** Tries to open all the connections, and prints which opened. A policy drops what it does not admit. */
const CONNECT = `
  const { connect } = require("node:net");
  Promise.all(process.argv.slice(1).map((address) => new Promise((resolve) => {
    const [host, port] = address.split(":");
    const socket = connect({ host, port, timeout: 3000 });
    const end = (outcome) => () => { socket.destroy(); resolve(outcome); };
    socket.on("connect", end("yes")).on("error", end("no")).on("timeout", end("no"));
  }))).then((outcomes) => console.log(JSON.stringify(outcomes)));`;

let installation: Installation;
let values: object;

beforeAll(async () => {
  installation = await Installation.create(async (namespace) => {
    const receiver = await addressOf(namespace, "pod/client", "{.status.podIP}");
    values = {
      networkPolicy: {
        internet: { exceptIPv4: allBut(receiver) },
        metrics: { from: [{ podSelector: { matchLabels: PROBES["scraper"] } }] },
      },
    };
    return values;
  });
  const { namespace } = installation;
  await namespace.apply(
    ...Object.entries(PROBES).map(([row, labels]) => probe(nameOfProbe(row), labels)),
  );
  const names = Object.keys(PROBES).map((row) => `pod/${nameOfProbe(row)}`);
  await namespace.kubectl(
    "wait",
    "--for=jsonpath={.status.phase}=Running",
    ...names,
    "--timeout=120s",
  );
});
afterAll(() => installation?.namespace.remove());

function addressOf(namespace: Namespace, object: string, path: string): Promise<string> {
  return namespace.kubectl("get", ...object.split(" "), "-o", `jsonpath=${path}`);
}

/** The ranges that make up 10.0.0.0/8 without one address. */
function allBut(address: string): string[] {
  const bits = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return Array.from({ length: 24 }, (_, index) => {
    const kept = 31 - (index + 8);
    const other = (((bits >>> kept) ^ 1) << kept) >>> 0;
    const parts = [24, 16, 8, 0].map((shift) => (other >>> shift) & 255);
    return `${parts.join(".")}/${32 - kept}`;
  });
}

function probe(name: string, labels: Record<string, string>): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "probe",
          image: IMAGE,
          imagePullPolicy: "IfNotPresent",
          command: ["node", "-e", "setInterval(() => {}, 1e9)"],
          readinessProbe: { exec: { command: ["false"] } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
}

/** Of each column the addresses: of a service both replicas, since a pod always reaches itself. */
async function targets(): Promise<Map<string, string[]>> {
  const { namespace } = installation;
  const ips = async (selector: string, where = namespace.name) =>
    (
      await namespace.kubectl(
        "get",
        "pods",
        "-n",
        where,
        "-l",
        selector,
        "-o",
        "jsonpath={.items[*].status.podIP}",
      )
    ).split(" ");
  const of = (name: string) => ips(`app.kubernetes.io/component=${name},app.kubernetes.io/version`);
  const pods = new Map(
    await Promise.all(SERVICES.map(async (name) => [name, await of(name)] as const)),
  );
  const backing = async (name: string, port: number) => [
    `${await addressOf(namespace, `service annals-${name}`, "{.spec.clusterIP}")}:${port}`,
  ];
  const [receiver] = await ips("app=client");
  const [dns] = await ips("k8s-app=kube-dns", "kube-system");
  return new Map([
    ...SERVICES.map((name): [string, string[]] => [
      name,
      pods.get(name)!.map((ip) => `${ip}:${name === "gateway" ? 8080 : 9090}`),
    ]),
    ["PostgreSQL", await backing("postgresql", 5432)],
    ["NATS", await backing("nats", 4222)],
    ["DNS", [`${dns}:53`]],
    ["metrics", SERVICES.flatMap((name) => pods.get(name)!.map((ip) => `${ip}:9091`))],
    ["the internet", [`${receiver}:8443`]],
  ]);
}

/** What each pod of a row finds at each column; cells that the table leaves open are left open. */
async function found(): Promise<Map<string, Map<string, string>>> {
  const columns = await targets();
  const rows = [...TABLE].map(async ([row, expected]): Promise<[string, Map<string, string>]> => {
    const isService = SERVICES.some((name) => name === row);
    const stranger = row === "any other pod" ? "client" : nameOfProbe(row);
    const pod = isService ? (await installation.pods(row))[0]!.name : stranger;
    const own = await addressOf(installation.namespace, `pod ${pod}`, "{.status.podIP}");
    const asked = [...columns].flatMap(([column, addresses]) =>
      addresses
        .filter((address) => !address.startsWith(`${own}:`))
        .map((address) => [column, address] as const),
    );
    const printed = await installation.namespace.kubectl(
      "exec",
      pod,
      "--",
      "node",
      "-e",
      CONNECT,
      ...asked.map(([, address]) => address),
    );
    const outcomes = JSON.parse(printed) as string[];
    const cells = [...expected].map(([column, said]): [string, string] => {
      const each = outcomes.filter((_, index) => asked[index]![0] === column);
      return [column, said === "–" ? said : [...new Set(each)].join(" and ")];
    });
    return [row, new Map(cells)];
  });
  return new Map(await Promise.all(rows));
}

test("the table holds, cell by cell", async () => {
  expect(TABLE.size).toBe(10);
  let last = new Map();
  // A policy takes a moment to be enforced.
  await eventually(ENFORCED_WITHIN_MS, async () => {
    last = await found();
    expect(last).toStrictEqual(TABLE);
    return true;
  }).catch(() => expect(last).toStrictEqual(TABLE));
});

test("control: without the policies every connection opens", async () => {
  await installation.upgrade({ ...values, networkPolicy: { enabled: false } }, ...WAIT);
  const open = new Map(
    [...TABLE].map(([row, cells]) => [
      row,
      new Map([...cells].map(([column, said]) => [column, said === "–" ? said : "yes"])),
    ]),
  );
  await eventually(ENFORCED_WITHIN_MS, async () => {
    expect(await found()).toStrictEqual(open);
    return true;
  });
});
