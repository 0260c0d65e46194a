// A namespace of a test file at the level "restricted", the chart in it, and a pod that calls the API and
// receives webhooks. It must never touch what another namespace has.

import { CertificateAuthority } from "@annals/certificates";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { inject } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
export const CHART = join(ROOT, "helm/annals");
const POLL_MS = 250;
/** What has Helm wait until every pod is ready. */
export const WAIT = ["--wait", "--timeout", "10m"];
/** What kube-proxy may take from ready pods to a Service that is routed to them. */
const ROUTED_WITHIN_MS = 60_000;

export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line no-explicit-any -- the test that reads it knows its shape
  readonly body: any;
}

/** What `annals migrate` prints. */
export interface Report {
  readonly failed: readonly string[];
  readonly schemas: readonly { readonly service: string; readonly applied: readonly string[] }[];
}

/** What came of the appends of a load. */
export interface Outcome {
  /** How many requests got which status, or which error of the connection. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly appended: number;
  /** Sequence numbers that were acknowledged twice. */
  readonly repeated: number;
  /** The highest sequence number that was acknowledged. */
  readonly last: number;
  readonly slowestMs: number;
}

export class Namespace {
  readonly name = `annals-test-${randomBytes(4).toString("hex")}`;
  /** Of this checkout, where a test names no other. */
  chart = CHART;
  readonly receiver = `https://client.${this.name}.svc.cluster.local:8443/`;
  readonly #env: NodeJS.ProcessEnv;
  readonly #program: string | undefined;

  private constructor() {
    const { kubeconfig, path, program } = inject("cluster");
    this.#program = program;
    this.#env = { ...process.env, KUBECONFIG: kubeconfig, PATH: path };
  }

  static async create(): Promise<Namespace> {
    const namespace = new Namespace();
    await namespace.apply({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace.name,
        labels: { "pod-security.kubernetes.io/enforce": "restricted" },
      },
    });
    return namespace;
  }

  kubectl(...words: string[]): Promise<string> {
    return this.kubectlWith("", ...words);
  }

  /** With a text on standard input. */
  kubectlWith(input: string, ...words: string[]): Promise<string> {
    return this.#run(input, "kubectl", "--namespace", this.name, ...words);
  }

  /** `install` or `upgrade` of the release `annals`, with values beside the chart's own. */
  helm(verb: "install" | "upgrade", values: object, ...words: string[]): Promise<string> {
    const given = ["--namespace", this.name, "--values", "-", ...words];
    return this.#run(JSON.stringify(values), "helm", verb, "annals", this.chart, ...given);
  }

  /**
   * Installs the release and resolves when every pod is ready and the pod `client` reaches the gateway. Helm
   * does not wait for the second: kube-proxy routes a new Service some time after its pods are ready, and a
   * connection fails until then (ENETUNREACH where the node has no default route).
   */
  async install(values: object): Promise<void> {
    await this.helm("install", values, ...WAIT);
    await eventually(ROUTED_WITHIN_MS, async () =>
      (await this.connects("annals-gateway", 80)) ? true : undefined,
    );
  }

  /** Resolves to the log of the test's pod; rejects where it fails. */
  async helmTest(): Promise<string> {
    const words = ["test", "annals", "--namespace", this.name, "--timeout", "5m"];
    return (await this.#start("", "helm", ...words)).stderr;
  }

  /** The manifests of a release of the same name, which is not made. */
  render(...words: string[]): Promise<string> {
    return this.#run("", "helm", "template", "annals", CHART, "--namespace", this.name, ...words);
  }

  rollback(revision: number, ...words: string[]): Promise<string> {
    const given = ["--namespace", this.name, ...words];
    return this.#run("", "helm", "rollback", "annals", String(revision), ...given);
  }

  /** As `kubectl drain` does it: a PodDisruptionBudget may refuse. */
  evict(pod: string): Promise<string> {
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: pod, namespace: this.name },
    };
    const path = `/api/v1/namespaces/${this.name}/pods/${pod}/eviction`;
    return this.#run(JSON.stringify(eviction), "kubectl", "create", "--raw", path, "-f", "-");
  }

  uninstall(): Promise<string> {
    const words = ["--namespace", this.name, "--wait", "--timeout", "5m"];
    return this.#run("", "helm", "uninstall", "annals", ...words);
  }

  apply(...items: object[]): Promise<string> {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    return this.kubectlWith(list, "apply", "--filename", "-");
  }

  /** Starts the pod `client` and makes the ConfigMap `receiver-ca` with its authority. */
  async startClient(image: string): Promise<void> {
    const authority = await CertificateAuthority.create("receiver");
    const { cert, key } = await authority.issue([new URL(this.receiver).hostname]);
    const metadata = (name: string) => ({ name, labels: { app: "client" } });
    const text = readFileSync(join(import.meta.dirname, "client.mjs"), "utf8");
    await this.apply(
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: metadata("client"),
        data: { "client.mjs": text },
      },
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: metadata("receiver-ca"),
        data: { "ca.crt": authority.cert },
      },
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: metadata("client"),
        stringData: { "tls.crt": cert, "tls.key": key },
      },
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: metadata("client"),
        spec: { selector: { app: "client" }, ports: [{ port: 8443 }] },
      },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: metadata("client"),
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
              name: "client",
              image,
              imagePullPolicy: "IfNotPresent",
              command: ["node", "/client/client.mjs", "receive"],
              env: [{ name: "GATEWAY", value: "http://annals-gateway" }],
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
              volumeMounts: [
                { name: "client", mountPath: "/client" },
                { name: "tls", mountPath: "/tls" },
              ],
            },
          ],
          volumes: [
            { name: "client", configMap: { name: "client" } },
            { name: "tls", secret: { secretName: "client" } },
          ],
        },
      },
    );
    await this.kubectl("wait", "--for=condition=Ready", "pod/client", "--timeout=120s");
  }

  async request(key: string, method: string, path: string, body?: object): Promise<Answer> {
    const words = body === undefined ? [] : [JSON.stringify(body)];
    const printed = await this.#client("request", key, method, path, ...words);
    const answer = JSON.parse(printed) as { status: number; body: string };
    const isJson = /^[[{]/.test(answer.body) && !answer.body.includes("}\n{");
    return { ...answer, body: isJson ? JSON.parse(answer.body) : answer.body };
  }

  /** Whether the pod `client`, which has no label of the release, can open a connection. */
  async connects(host: string, port: number): Promise<boolean> {
    return JSON.parse(await this.#client("connect", host, String(port))) === "open";
  }

  /** Appends `perSecond` times with the keys of one account, until `stop`. */
  load(perSecond: number, keys: readonly string[]): { stop: () => Promise<Outcome> } {
    const client = ["exec", "--stdin", "client", "--", "node", "/client/client.mjs"];
    const words = [...client, "load", String(perSecond), ...keys];
    const child: ChildProcess = spawn("kubectl", ["--namespace", this.name, ...words], {
      env: this.#env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    return {
      stop: async () => {
        child.stdin?.end();
        await once(child, "close");
        return JSON.parse(printed) as Outcome;
      },
    };
  }

  async secret(name: string, key: string): Promise<string> {
    const kept = await this.kubectl("get", "secret", name, "-o", `jsonpath={.data.${key}}`);
    return Buffer.from(kept, "base64").toString();
  }

  /** Runs a command in the node, where the cluster allows it. */
  async onNode(...words: string[]): Promise<string> {
    if (this.#program === undefined)
      throw new Error("the cluster has no program to reach its node");
    return this.#run("", this.#program, "exec", ...words);
  }

  /** The line of a Job of migrations, which says nothing else but that it waits. */
  async migrated(job: string): Promise<Report> {
    const lines = (await this.kubectl("logs", `job/${job}`)).trim().split("\n");
    const reports = lines.filter((line) => !line.includes('"msg":"waiting for the database"'));
    if (reports.length !== 1) throw new Error(`not one line: ${lines.join("\n")}`);
    return JSON.parse(reports[0]!) as Report;
  }

  async remove(): Promise<void> {
    await this.#run("", "kubectl", "delete", "namespace", this.name, "--wait=false");
  }

  #client(...words: string[]): Promise<string> {
    return this.kubectl("exec", "client", "--", "node", "/client/client.mjs", ...words);
  }

  async #run(input: string, program: string, ...words: string[]): Promise<string> {
    return (await this.#start(input, program, ...words)).stdout;
  }

  #start(input: string, program: string, ...words: string[]) {
    const options = { env: this.#env, maxBuffer: 64 * 1024 * 1024 };
    const running = promisify(execFile)(program, words, options);
    running.child.stdin?.end(input);
    return running;
  }
}

/** Runs `attempt` again until it resolves to a value. A rejection counts as none, until the time is over. */
export async function eventually<T>(
  withinMs: number,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  const until = performance.now() + withinMs;
  let last: unknown;
  while (performance.now() < until) {
    try {
      const value = await attempt();
      if (value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(`not within ${withinMs} ms`, { cause: last });
}
