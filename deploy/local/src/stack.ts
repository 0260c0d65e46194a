// The system on one machine: starts PostgreSQL, NATS and every service in order, keeps them running, and
// stops them in reverse. Called by main.ts (`npm start`) and by the tests' constellation. It must never
// read `process.env`, use another stack's directory or ports, or leave a process behind.

import { ServiceCertificates } from "@annals/certificates";
import { mintKey } from "@annals/contract";
import { join, resolve } from "node:path";
import { DataDirectory } from "./data-directory.ts";
import { migrate } from "./migrations.ts";
import { natsSpec, newNatsUsers } from "./nats.ts";
import { findNatsServer, packagedNatsServer } from "./nats-binary.ts";
import { type OrphanGuard, startOrphanGuard } from "./orphan-guard.ts";
import { LOOPBACK, type ReservedPort, reserveFreePort, reservePort } from "./ports.ts";
import { postgresSpec, prepareCluster } from "./postgres.ts";
import { findLocation, removeData } from "./postgres-location.ts";
import { findPrometheus, prometheusSpec } from "./prometheus.ts";
import {
  orphanMark,
  rpcAddresses,
  type ServicePorts,
  serviceSpec,
  type StackContext,
} from "./service-process.ts";
import { builtServices, SERVICE_NAMES, SERVICES, type ServiceName, SOURCE } from "./services.ts";
import type { ObserveOptions, StackOptions, StackProcess } from "./stack-options.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { messageOf } from "./outcomes.ts";

/** The longest that PostgreSQL may take to recover after a crash, and any other process to get ready. */
const POSTGRES_READY_MS = 120_000;
const READY_MS = 60_000;

/** The checkout that this file is in. */
const CHECKOUT = resolve(import.meta.dirname, "../../..");

/** The default prefix of minted keys. */
const KEY_PREFIX = "annals";
const RATE_LIMIT_PER_MINUTE = 100;

/** Starts everything and resolves when every process is ready. Throws one line, and then nothing runs. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const directory = DataDirectory.open(options.dataDir);
  const stack = new Stack(options, directory);
  try {
    await stack.begin();
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

export class Stack {
  /** In the order of their start; the replicas of `addReplica` at the end. */
  readonly processes: StackProcess[] = [];
  readonly dataDir: string;
  bootstrapKey = "";
  /** For the owner of the database. */
  databaseUrl = "";
  natsUrl = "";
  /** URLs of the services that use NATS, each with its own login. The one above has all rights. */
  natsUrls: StackContext["natsUrls"] = {};
  readonly #options: StackOptions;
  readonly #directory: DataDirectory;
  readonly #guard: OrphanGuard;
  readonly #log: (line: string) => void;
  readonly #certificates: ServiceCertificates;
  readonly #supervised: SupervisedProcess[] = [];
  readonly #reserved: ReservedPort[] = [];
  readonly #counts = new Map<string, number>();
  readonly #ending = new AbortController();
  #context: StackContext | undefined;
  #stopped: Promise<void> | undefined;

  /** Called by `startStack`, which is what others call. */
  constructor(options: StackOptions, directory: DataDirectory) {
    this.#options = options;
    this.#directory = directory;
    this.#guard = startOrphanGuard();
    this.#log = options.log ?? (() => {});
    this.dataDir = directory.path;
    this.#certificates = new ServiceCertificates(directory.certificates, this.#log);
    options.signal?.addEventListener("abort", () => void this.stop(), { once: true });
  }

  /** `http://127.0.0.1:<port>` of every gateway, in order. */
  get baseUrls(): string[] {
    return this.processes.flatMap((each) => each.baseUrl ?? []);
  }

  /** Folder of the services' certificates, for `certificateFiles`. */
  get certificates(): string {
    return this.#directory.certificates;
  }

  /** Called by `startStack`. */
  async begin(): Promise<void> {
    const { entryFile = SOURCE, root = CHECKOUT } = this.#options;
    const services = this.#chosenServices(builtServices(root, entryFile));
    for (const name of await this.#directory.clearOrphans(orphanMark(this.#directory, entryFile))) {
      this.#log(`stopped ${name}, left by an earlier start`);
    }
    const ports = await this.#reservePorts(services);
    this.#directory.writeFiles(this.#options.files ?? {});
    await Promise.all([this.#beginPostgres(), this.#beginNats(), this.#certificates.begin()]);
    this.bootstrapKey = this.#directory.bootstrapKey(this.#options.bootstrapKey, () =>
      mintKey(this.#options.keyPrefix ?? KEY_PREFIX),
    );
    this.#directory.writeSecret(this.#directory.run("database-url"), `${this.databaseUrl}\n`);
    const context: StackContext = {
      root,
      entryFile,
      directory: this.#directory,
      environment: this.#options.environment,
      databaseUrl: this.databaseUrl,
      natsUrls: this.natsUrls,
      rateLimitPerMinute: this.#options.rateLimitPerMinute ?? RATE_LIMIT_PER_MINUTE,
      rpcAddresses: rpcAddresses(ports),
      overrides: this.#options.env ?? {},
    };
    this.#context = context;
    if (!this.#options.isMigrated) {
      await migrate(services, context, this.bootstrapKey, this.#ending.signal);
      this.#log("the schemas are up to date");
    }
    const started = [...ports].flatMap(([service, each]) =>
      each.map((pair) => this.#startService(service, pair)),
    );
    // `annals status` asks them, also those that do not become ready.
    const adminUrls = started.map((each) => `${each.adminUrl}\n`).join("");
    this.#directory.writeSecret(this.#directory.run("admin-urls"), adminUrls);
    await Promise.all(started.map((each) => each.waitReady()));
    this.#log(`${started.length} service processes are ready`);
  }

  /** Starts a Prometheus that scrapes what runs now. Resolves to its URL; undefined: none is installed. */
  async observe(options: ObserveOptions): Promise<string | undefined> {
    const binary = findPrometheus(this.#options.environment["PATH"] ?? "");
    if (binary === undefined) return undefined;
    const port = await this.#reserve();
    const spec = prometheusSpec(binary, this.#directory, port, this.processes, options);
    await this.#supervise("prometheus", spec, {}).waitReady();
    return `http://${LOOPBACK}:${port.port}`;
  }

  /** Starts one more process of a service, with `env` too, until it serves. Others do not get its address. */
  async addReplica(service: ServiceName, env?: StackContext["environment"]): Promise<StackProcess> {
    const first = this.#options.port ?? 0;
    const index = (this.#counts.get(service) ?? 0) + 1;
    const isNext = SERVICES[service].isPublic && first > 0;
    const main = isNext ? await this.#reserve(first + index - 1) : await this.#reserve();
    const added = this.#startService(service, { main, admin: await this.#reserve() }, env);
    await added.waitReady();
    return added;
  }

  /**
   * Stops everything in reverse order and releases the directory. With `force` no process gets time to
   * finish; PostgreSQL recovers from its log at the next start. May be called again, also with `force`.
   */
  stop(force = false): Promise<void> {
    this.#ending.abort();
    if (force) for (const each of this.#supervised) each.kill(each.spec.lastSignal);
    this.#stopped ??= this.#stopInReverse(force);
    return this.#stopped;
  }

  async #stopInReverse(force: boolean): Promise<void> {
    this.#certificates.close();
    const order = ["postgres", "nats", ...SERVICE_NAMES, "prometheus"];
    for (const name of order.toReversed()) {
      const group = this.#supervised.filter((each) => each.spec.name.replace(/-\d+$/, "") === name);
      await Promise.all(group.map((each) => each.stop(force)));
    }
    await Promise.all(this.#reserved.map((each) => each.close()));
    this.#guard.close();
    this.#directory.close();
    if (this.#options.isDisposable) removeData(this.dataDir);
  }

  #chosenServices(built: readonly ServiceName[]): ServiceName[] {
    const services = built.filter((service) => !this.#options.without?.includes(service));
    const unknown = SERVICE_NAMES.filter(
      (name) => this.#options.replicas?.[name] && !services.includes(name),
    );
    if (unknown.length > 0) {
      throw new Error(`there is no ${unknown.join(", ")} to make replicas of`);
    }
    return services;
  }

  async #reservePorts(services: readonly ServiceName[]): Promise<Map<ServiceName, ServicePorts[]>> {
    const first = this.#options.port ?? 0;
    const ports = new Map<ServiceName, ServicePorts[]>();
    for (const service of services) {
      const pairs: ServicePorts[] = [];
      for (let i = 0; i < (this.#options.replicas?.[service] ?? 1); i++) {
        const isGiven = SERVICES[service].isPublic && first > 0;
        const main = await this.#reserve(isGiven ? first + i : undefined);
        pairs.push({ main, admin: await this.#reserve() });
      }
      ports.set(service, pairs);
    }
    return ports;
  }

  async #reserve(port?: number): Promise<ReservedPort> {
    const reserved = port === undefined ? await reserveFreePort() : await reservePort(port);
    this.#reserved.push(reserved);
    return reserved;
  }

  async #beginPostgres(): Promise<void> {
    if (this.#options.databaseUrl !== undefined) {
      this.databaseUrl = this.#options.databaseUrl;
      return;
    }
    const location = await findLocation(this.#directory.path, this.#options.postgresBinaries);
    if (!location.cluster.startsWith(this.#directory.path)) {
      this.#log(
        `PostgreSQL's user cannot reach ${this.#directory.path}: its files are in ${location.cluster}`,
      );
    }
    const port = await this.#reserve();
    this.databaseUrl = await prepareCluster(location, this.#directory, port.port);
    const server = this.#supervise("postgres", postgresSpec(location, this.#directory, port), {});
    await server.waitReady(POSTGRES_READY_MS);
    this.#log("PostgreSQL is ready");
  }

  async #beginNats(): Promise<void> {
    const port = await this.#reserve();
    const { passwords, urls } = newNatsUsers(port.port, this.#options.natsUrl);
    this.natsUrl = urls.operator;
    this.natsUrls = urls;
    if (this.#options.natsUrl !== undefined || this.#options.without?.includes("nats")) return;
    let binary: string;
    try {
      binary = await findNatsServer({
        given: this.#options.natsServerBin,
        path: this.#options.environment["PATH"] ?? "",
        packaged: packagedNatsServer(),
        cache: join(CHECKOUT, "node_modules/.cache/annals"),
        log: this.#log,
        signal: this.#ending.signal,
      });
    } catch (error) {
      if (this.#options.natsServerBin !== undefined) throw error;
      // NATS only shortens the delay of webhooks: no reason not to start.
      this.#log(`starting without NATS, webhooks fall back to polling: ${messageOf(error)}`);
      return;
    }
    const spec = natsSpec(binary, this.#directory, port, passwords);
    await this.#supervise("nats", spec, {}).waitReady();
    this.#log("NATS is ready");
  }

  #startService(service: ServiceName, ports: ServicePorts, env = {}): StackProcess {
    if (this.#context === undefined) throw new Error("the stack has not started");
    const index = (this.#counts.get(service) ?? 0) + 1;
    const address = `${LOOPBACK}:${ports.main.port}`;
    return this.#supervise(service, serviceSpec(service, index, ports, this.#context, env), {
      adminUrl: `http://${LOOPBACK}:${ports.admin.port}`,
      ...(SERVICES[service].isPublic ? { baseUrl: `http://${address}` } : { rpcAddress: address }),
    });
  }

  #supervise(
    service: StackProcess["service"],
    spec: SupervisedProcess["spec"],
    urls: { adminUrl?: string; rpcAddress?: string; baseUrl?: string },
  ): StackProcess {
    this.#ending.signal.throwIfAborted();
    const index = (this.#counts.get(service) ?? 0) + 1;
    this.#counts.set(service, index);
    const supervised = new SupervisedProcess(spec, this.#guard, this.#log);
    this.#supervised.push(supervised);
    const waitReady = (timeoutMs = READY_MS) => supervised.waitReady(timeoutMs);
    const seen: StackProcess = {
      service,
      index,
      adminUrl: urls.adminUrl,
      rpcAddress: urls.rpcAddress,
      baseUrl: urls.baseUrl,
      pid: () => supervised.pid(),
      kill: (signal) => supervised.kill(signal),
      exited: () => supervised.exited(),
      waitReady,
      stop: () => supervised.stop(),
      start: () => supervised.start(),
      restart: async () => {
        await supervised.restart();
        await waitReady();
      },
    };
    this.processes.push(seen);
    supervised.start();
    return seen;
  }
}
