// An installation of the chart for tests that load it and break parts of it: small requests of CPU, so that
// five replicas fit, keys of one account, and what its pods say of themselves. It must never retry an append.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { eventually, Namespace, type Outcome } from "./namespace.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

export const IMAGE = `annals:${version}`;
export const SERVICES = ["gateway", "keys", "ledger", "export", "webhook-dispatcher"] as const;
export type Service = (typeof SERVICES)[number];

const KEYS = 8;
const APPENDS_PER_S = 100;
export const WITHIN_MS = 180_000;

export const SMALL = { resources: { requests: { cpu: "10m", memory: "96Mi" } } };
const VALUES = {
  rateLimitPerMinute: 1_000_000,
  gateway: SMALL,
  keys: SMALL,
  ledger: SMALL,
  export: { ...SMALL, claim: { accessMode: "ReadWriteMany" } },
  webhookDispatcher: {
    ...SMALL,
    caBundle: { configMap: "receiver-ca" },
    settings: { ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true" },
  },
  networkPolicy: { internet: { exceptIPv4: [] } },
};

export interface Pod {
  readonly name: string;
  readonly isReady: boolean;
  readonly restarts: number;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
    readonly status: {
      readonly containerStatuses?: readonly { ready: boolean; restartCount: number }[];
    };
  }[];
}

export class Installation {
  readonly namespace: Namespace;
  /** The values of its last change. */
  values: object = VALUES;
  key = "";
  #keys: string[] = [];

  private constructor(namespace: Namespace) {
    this.namespace = namespace;
  }

  /**
   * Every pod is ready. `prepare` makes what the install needs, and resolves to values beside `values`, which
   * by default have small requests.
   */
  static async create(
    prepare: (namespace: Namespace) => Promise<object> = async () => ({}),
    values: object = VALUES,
  ): Promise<Installation> {
    const installation = new Installation(await Namespace.create());
    const { namespace } = installation;
    await namespace.startClient(IMAGE);
    installation.values = { ...values, ...(await prepare(namespace)) };
    await namespace.install(installation.values);
    installation.key = await namespace.secret("annals-bootstrap-key", "key");
    const made = Array.from({ length: KEYS }, (_, index) =>
      installation.request("POST", "/v1/api-keys", { name: `load ${index}` }),
    );
    installation.#keys = (await Promise.all(made)).map(({ body }) => body.data.key as string);
    return installation;
  }

  /** With other members of the values. */
  async upgrade(values: object, ...words: string[]): Promise<void> {
    this.values = { ...this.values, ...values };
    await this.namespace.helm("upgrade", this.values, ...words);
  }

  request(method: string, path: string, body?: object) {
    return this.namespace.request(this.key, method, path, body);
  }

  /** Of the chain, which is valid. */
  async length(): Promise<number> {
    const { valid, checked } = await eventually(WITHIN_MS, async () => {
      const { status, body } = await this.request("GET", "/v1/verify");
      return status === 200 ? (body.data as { valid: boolean; checked: number }) : undefined;
    });
    assert.equal(valid, true);
    return checked;
  }

  /** Whatever came of the appends during `work`: none that was acknowledged is lost, or counted twice. */
  async underLoad(work: () => Promise<unknown>): Promise<Outcome> {
    const load = this.namespace.load(APPENDS_PER_S, this.#keys);
    const began = performance.now();
    const failure = await work().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const outcome = await load.stop();
    const seconds = (performance.now() - began) / 1000;
    process.stderr.write(`${seconds.toFixed(0)} s under load: ${JSON.stringify(outcome)}\n`);
    if (failure) throw failure.error;
    assert.equal(outcome.repeated, 0);
    assert.ok((await this.length()) >= outcome.last, "an acknowledged event is not in the chain");
    return outcome;
  }

  /** Every append during `work` was answered with 201, and is in the chain once. Resolves to how many. */
  async withoutFailure(work: () => Promise<unknown>): Promise<number> {
    const before = await this.length();
    const { appended, statuses } = await this.underLoad(work);
    assert.deepEqual(statuses, { "201": appended });
    assert.equal(await this.length(), before + appended);
    return appended;
  }

  /** Those that do not end. */
  async pods(component: string): Promise<Pod[]> {
    const selector = `app.kubernetes.io/component=${component}`;
    const { items } = JSON.parse(
      await this.namespace.kubectl("get", "pods", "--selector", selector, "-o", "json"),
    ) as PodList;
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, status: { containerStatuses: [container] = [] } }) => ({
        name: metadata.name,
        isReady: container?.ready ?? false,
        restarts: container?.restartCount ?? 0,
      }));
  }

  /** Resolves when so many pods are ready, none of `without`, and no others are there. */
  ready(component: string, count: number, without: readonly string[] = []): Promise<Pod[]> {
    return eventually(WITHIN_MS, async () => {
      const pods = await this.pods(component);
      const isSo = ({ isReady, name }: Pod) => isReady && !without.includes(name);
      return pods.length === count && pods.every(isSo) ? pods : undefined;
    });
  }

  async scale(service: Service, replicas: number): Promise<Pod[]> {
    await this.namespace.kubectl("scale", `deploy/annals-${service}`, `--replicas=${replicas}`);
    return this.ready(service, replicas);
  }

  /** The sum of the samples of a metric of one pod, of those that have the label where one is given. */
  async metric(pod: string, name: string, label = ""): Promise<number> {
    return (await this.#read(pod, name, label)).value;
  }

  async #read(pod: string, name: string, label = ""): Promise<{ value: number; atMs: number }> {
    const script =
      "fetch('http://127.0.0.1:9091/metrics').then(async (a) => console.log(Date.now() + '\\n' + await a.text()))";
    const text = await this.namespace.kubectl("exec", pod, "--", "node", "-e", script);
    const [at, ...lines] = text.split("\n");
    const samples = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(label));
    const value = samples.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    return { value, atMs: Number(at) };
  }

  /**
   * Which share of the growth of a metric, within a moment of work, the pods of `some` had. Each
   * pod counts with its rate: a reading takes seconds, and not the same for all.
   */
  async share(metric: string, pods: readonly Pod[], some: readonly Pod[], work = MOMENT) {
    const read = () => Promise.all(pods.map(({ name }) => this.#read(name, metric)));
    const before = await read();
    await work();
    const grown = (await read()).map(
      ({ value, atMs }, index) =>
        (value - before[index]!.value) / ((atMs - before[index]!.atMs) / 1_000),
    );
    const total = grown.reduce((sum, value) => sum + value, 0);
    const names = new Set(some.map(({ name }) => name));
    const theirs = grown.filter((_, index) => names.has(pods[index]!.name));
    return total === 0 ? 0 : theirs.reduce((sum, value) => sum + value, 0) / total;
  }
}

const MOMENT_MS = 4_000;
/** Not a wait for anything: the time over which a rate is measured. */
const MOMENT = (): Promise<unknown> => delay(MOMENT_MS);
