// What people and controllers do in a cluster, with marked values in secrets, tokens and a ConfigMap. Called
// by audit.test.ts. Each round leaves only secrets behind. It must never put the mark of secrets anywhere
// but into secrets and tokens.

import { randomBytes } from "node:crypto";
import { type AuditedCluster, RECORDED } from "./audited-cluster.ts";

const SHOP = "shop";
/** The node has it. */
const IMAGE = "annals.example/pause:1";
const API_SERVER = "https://10.87.0.2:6443";

export class AuditedWork {
  readonly secret = `secret-${randomBytes(12).toString("hex")}`;
  readonly open = `open-${randomBytes(12).toString("hex")}`;
  /** Tokens of service accounts that the API server has made. */
  readonly tokens: string[] = [];
  readonly #cluster: AuditedCluster;
  #rounds = 0;

  constructor(cluster: AuditedCluster) {
    this.#cluster = cluster;
  }

  async begin(): Promise<void> {
    for (const name of [RECORDED, SHOP]) await this.#cluster.kubectl("create", "namespace", name);
  }

  /** Goes on until `work` has settled, and then ends its last round. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    const goOn = async (): Promise<void> => {
      while (!isOver) await this.#round();
    };
    await Promise.all([over, goOn()]);
    return work;
  }

  async #round(): Promise<void> {
    this.#rounds += 1;
    const round = String(this.#rounds);
    await Promise.all([this.#secrets(round), this.#deployments(round)]);
    await this.#failures();
  }

  async #secrets(round: string): Promise<void> {
    const { kubectl, kubectlWith } = this.#inNamespace(RECORDED);
    const value = Buffer.from(this.secret).toString("base64");
    await kubectl(
      "create",
      "secret",
      "generic",
      `made-${round}`,
      `--from-literal=p=${this.secret}`,
    );
    const metadata = { name: `applied-${round}` };
    const applied = { apiVersion: "v1", kind: "Secret", metadata, stringData: { p: this.secret } };
    await kubectlWith(JSON.stringify(applied), "apply", "--filename", "-");
    const patch = (type: string, body: unknown) =>
      kubectl(
        "patch",
        "secret",
        metadata.name,
        `--type=${type}`,
        `--patch=${JSON.stringify(body)}`,
      );
    await patch("strategic", { stringData: { q: this.secret } });
    await patch("merge", { data: { r: value } });
    await patch("json", [{ op: "replace", path: "/data/p", value }]);
    await kubectl("get", "secret", metadata.name, "--output=json");
    await kubectl("get", "secrets");
    await kubectl("delete", "secret", `made-${round}`);
    this.tokens.push((await kubectl("create", "token", "default")).trim());
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" };
    const asked = JSON.stringify({ ...review, spec: { token: this.secret } });
    await kubectlWith(asked, "create", "--filename", "-", "--output=json");
  }

  async #deployments(round: string): Promise<void> {
    const { kubectl } = this.#inNamespace(SHOP);
    const name = `web-${round}`;
    await kubectl("create", "configmap", name, `--from-literal=a=${this.open}`);
    await kubectl("create", "deployment", name, `--image=${IMAGE}`, "--replicas=2");
    await kubectl("rollout", "status", `deployment/${name}`, "--timeout=120s");
    await kubectl("scale", "deployment", name, "--replicas=1");
    await kubectl("delete", `deployment/${name}`, `configmap/${name}`);
  }

  /** Requests that the API server refuses, with and without a known user. */
  async #failures(): Promise<void> {
    const { kubectl, kubectlWith } = this.#inNamespace(SHOP);
    const invalid = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "NOT A NAME" } };
    const unknown = ["--kubeconfig=/dev/null", `--server=${API_SERVER}`, "--token=unknown"];
    const attempts = [
      () => kubectl("get", "configmap", "missing"),
      () => kubectl("delete", "pod", "missing"),
      () => kubectlWith(JSON.stringify(invalid), "create", "--filename", "-", "--validate=false"),
      () => kubectl("get", "pods", "--as=ada@example.com", "--as-group=auditors"),
      () => kubectl("get", "secrets", `--as=system:serviceaccount:${SHOP}:default`),
      () => kubectl("get", "pods", "--insecure-skip-tls-verify", ...unknown),
    ];
    for (const attempt of attempts) {
      const isDone = await attempt().then(
        () => true,
        () => false,
      );
      if (isDone) throw new Error("the API server has not refused what it must refuse");
    }
  }

  #inNamespace(name: string) {
    const words = [`--namespace=${name}`];
    return {
      kubectl: (...more: string[]) => this.#cluster.kubectl(...words, ...more),
      kubectlWith: (input: string, ...more: string[]) =>
        this.#cluster.kubectlWith(input, ...words, ...more),
    };
  }
}
