// Guarantee: on a cluster a pod without any secret stores events by its projected token, as the workload that
// the account trusts. Another audience gets nothing, and a workload that is deleted ends the next request.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, Namespace } from "./namespace.ts";

const { version } = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, "../.."), "package.json"), "utf8"),
) as { version: string };

const ORIGIN = "https://audit.example.com";
const WITHIN_MS = 60_000;

/** Stores an event with the token at a path, and prints the status. */
const APPEND = `
  const token = require("node:fs").readFileSync(process.argv[1], "utf8").trim();
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const body = JSON.stringify({ action: "pod" });
  fetch("http://annals-gateway/v1/events", { method: "POST", headers, body }).then(({ status }) => console.log(status));`;

let namespace: Namespace;
let key: string;
let accountId: string;

/** Keys verifies tokens of this cluster, whose keys it asks for with its own token. */
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
    // The API server is at an address of the node, which the policy of a cluster would name.
    networkPolicy: { enabled: false },
    identity: { file: { secret: "identity" }, publicUrl: ORIGIN },
    keys: {
      pod: {
        extraVolumes: [{ name: "cluster", projected: { sources } }],
        extraVolumeMounts: [{ name: "cluster", mountPath: "/run/cluster", readOnly: true }],
      },
    },
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
          image: `annals:${version}`,
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
  await namespace.startClient(`annals:${version}`);
  await install();
  key = await namespace.secret("annals-bootstrap-key", "key");
  accountId = (await namespace.request(key, "GET", "/v1/usage")).body.data.account_id;
  await startPod();
});
afterAll(() => namespace.remove());

const append = async (token: string): Promise<number> => {
  const words = ["exec", "workload", "--", "node", "-e", APPEND, `/run/annals/${token}`];
  return Number(await namespace.kubectl(...words));
};

test("a pod stores events by its projected token, until the workload is deleted", async () => {
  expect(await append("token")).toBe(401);
  const subject = `system:serviceaccount:${namespace.name}:default`;
  const workload = { name: "pod", issuer: "cluster", subject, scopes: ["events:write"] };
  const trusted = await namespace.request(key, "POST", "/v1/workloads", workload);
  expect(trusted.status).toBe(201);
  await eventually(WITHIN_MS, async () => ((await append("token")) === 201 ? true : undefined));
  expect(await append("other")).toBe(401);
  const { id } = trusted.body.data;
  expect((await namespace.request(key, "DELETE", `/v1/workloads/${id}`)).status).toBe(204);
  expect(await append("token")).toBe(401);
});
