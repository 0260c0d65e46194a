// Guarantee: on a cluster a pod without any secret stores events by its projected token, as the workload that
// the account trusts; for it keys reaches nothing but the API server. A token for another audience gets
// nothing, and deleting the workload refuses the next request. docs/workloads.md says what a cluster needs.

import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { IMAGE, SMALL } from "./installation.ts";
import { Namespace } from "./namespace.ts";

const ORIGIN = "https://audit.example.com";

/** Stores an event with the token at a path, and prints the status. */
const APPEND = `
  const token = require("node:fs").readFileSync(process.argv[1], "utf8").trim();
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const body = JSON.stringify({ action: "pod" });
  fetch("http://annals-gateway/v1/events", { method: "POST", headers, body }).then(({ status }) => console.log(status));`;

let namespace: Namespace;
let key: string;
let accountId: string;

/** Where the API server itself is: a policy sees this address, and not that of its Service. */
async function apiServer(): Promise<object> {
  const kubernetes = [
    "get",
    "endpointslices",
    "kubernetes",
    "--namespace",
    "default",
    "-o",
    "json",
  ];
  const { endpoints, ports } = JSON.parse(await namespace.kubectl(...kubernetes)) as {
    endpoints: { addresses: string[] }[];
    ports: { port: number }[];
  };
  const peers = endpoints
    .flatMap(({ addresses }) => addresses)
    .map((address) => ({ ipBlock: { cidr: `${address}/32` } }));
  return { peers, ports: ports.map(({ port }) => port) };
}

/** Keys verifies tokens of this cluster, whose keys it asks for with a token of its own. */
async function install(): Promise<void> {
  const discovery = await namespace.kubectl("get", "--raw", "/.well-known/openid-configuration");
  const { issuer } = JSON.parse(discovery) as { issuer: string };
  const cluster = {
    name: "cluster",
    issuer,
    jwks_uri: "https://kubernetes.default.svc/openid/v1/jwks",
    ca_file: "/run/cluster/ca.crt",
    token_file: "/run/cluster/token",
    accounts: "*",
  };
  const metadata = { name: "identity" };
  const stringData = { "identity.json": JSON.stringify({ workloads: [cluster] }) };
  await namespace.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData });
  const sources = [
    { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
  ];
  await namespace.install({
    gateway: SMALL,
    keys: {
      ...SMALL,
      pod: {
        extraVolumes: [{ name: "cluster", projected: { sources } }],
        extraVolumeMounts: [{ name: "cluster", mountPath: "/run/cluster", readOnly: true }],
      },
    },
    ledger: SMALL,
    export: SMALL,
    webhookDispatcher: SMALL,
    identity: { file: { secret: "identity" }, publicUrl: ORIGIN },
    networkPolicy: { identityProviders: await apiServer() },
  });
}

/** A pod that has nothing but two tokens of its service account: for the account, and for another one. */
async function startPod(): Promise<void> {
  const audience = `${ORIGIN}/${accountId}`;
  const token = (path: string, of: string) => ({
    serviceAccountToken: { path, audience: of, expirationSeconds: 600 },
  });
  const sources = [token("token", audience), token("other", `${audience}x`)];
  await namespace.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "workload" },
    spec: {
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroup: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "workload",
          image: IMAGE,
          imagePullPolicy: "IfNotPresent",
          command: ["node", "-e", "setInterval(() => {}, 1e9)"],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          volumeMounts: [{ name: "annals", mountPath: "/run/annals", readOnly: true }],
        },
      ],
      volumes: [{ name: "annals", projected: { sources } }],
    },
  });
  await namespace.kubectl("wait", "--for=condition=Ready", "pod/workload", "--timeout=120s");
}

beforeAll(async () => {
  namespace = await Namespace.create();
  await namespace.startClient(IMAGE);
  await install();
  key = await namespace.secret("annals-bootstrap-key", "key");
  accountId = (await namespace.request(key, "GET", "/v1/usage")).body.data.account_id;
  await startPod();
});
afterAll(() => namespace.remove());

/** The status of an append of the pod with the token. */
const append = async (token: string): Promise<number> => {
  const words = ["exec", "workload", "--", "node", "-e", APPEND, `/run/annals/${token}`];
  return Number(await namespace.kubectl(...words));
};

test("a pod stores events by its projected token, until the workload is deleted", async () => {
  onTestFailed(async () => {
    // The pod learns no more than 401; the log of keys has the reason.
    const words = ["--selector", "app.kubernetes.io/component=keys", "--container", "keys"];
    process.stderr.write(await namespace.kubectl("logs", "--prefix", ...words));
  });
  expect(await append("token")).toBe(401);
  const subject = `system:serviceaccount:${namespace.name}:default`;
  const workload = { name: "pod", issuer: "cluster", subject, scopes: ["events:write"] };
  const trusted = await namespace.request(key, "POST", "/v1/workloads", workload);
  expect(trusted.status).toBe(201);
  expect(await append("token")).toBe(201);
  expect(await append("other")).toBe(401);
  expect(await append("token")).toBe(201);
  const { id } = trusted.body.data;
  expect((await namespace.request(key, "DELETE", `/v1/workloads/${id}`)).status).toBe(204);
  expect(await append("token")).toBe(401);
  const { body } = await namespace.request(key, "GET", "/v1/events");
  expect(body.data.map(({ action }: { action: string }) => action)).toEqual(["pod", "pod"]);
});
