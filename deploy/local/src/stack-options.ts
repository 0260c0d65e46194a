// The types of a stack's options and of its processes. Read by stack.ts, main.ts and the tests'
// constellation. It must never hold code.

import type { Variables } from "./service-process.ts";
import type { EntryFile, ServiceName } from "./services.ts";

export interface StackOptions {
  /** Absolute path; made if absent. */
  readonly dataDir: string;
  /** Port of the first gateway, the others follow; 0 (the default) takes a free port for each. */
  readonly port?: number;
  /**
   * What services inherit: PATH, ANNALS_* settings of their own. The caller passes its
   * `process.env` or a choice of it.
   */
  readonly environment: Variables;
  /** Processes of each service; one by default. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  readonly rateLimitPerMinute?: number | undefined;
  readonly bootstrapKey?: string | undefined;
  readonly keyPrefix?: string | undefined;
  /** Servers to use instead of starting any. */
  readonly databaseUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
  /** The database of `databaseUrl` has every schema already: no migration is run. */
  readonly isMigrated?: boolean;
  /**
   * Folder of the programs of another PostgreSQL than that of the packages, for tests: the data directory
   * must be new.
   */
  readonly postgresBinaries?: string | undefined;
  readonly natsServerBin?: string | undefined;
  /** Variables that override those of the stack, for one service or for every one. */
  readonly env?: Partial<Record<ServiceName | "every", Variables>>;
  /** Secrets by the name of the file in the data directory into which they are written. */
  readonly files?: Readonly<Record<string, string>>;
  /** What not to start. Without `nats`, services get the URL of a port on which nothing listens. */
  readonly without?: readonly (ServiceName | "nats")[];
  /** Gets one line for each step. By default nothing is logged. */
  readonly log?: (line: string) => void;
  /** Deletes the data, wherever it is stored, when the stack stops or does not start: for tests. */
  readonly isDisposable?: boolean;
  /** Stops a start in progress. */
  readonly signal?: AbortSignal;
  /** Folder that holds `services/<name>/src/main.ts`; the checkout by default. */
  readonly root?: string;
  /** What runs as a service; its source by default. */
  readonly entryFile?: EntryFile;
}

/** How a Prometheus next to the stack works. */
export interface ObserveOptions {
  /** Seconds between two scrapes, and between two evaluations of the rules. */
  readonly intervalS: number;
  /** A file of rules. */
  readonly rules: string;
}

/** One process of the stack, for tests and main.ts. */
export interface StackProcess {
  /** A service's name, `postgres`, `nats` or `prometheus`. */
  readonly service: ServiceName | "postgres" | "nats" | "prometheus";
  /** Counts from 1. */
  readonly index: number;
  /** `http://127.0.0.1:<port>` of the admin server; undefined for those that are no service. */
  readonly adminUrl: string | undefined;
  /** `127.0.0.1:<port>` of the RPC server; undefined for a gateway, postgres and nats. */
  readonly rpcAddress: string | undefined;
  /** `http://127.0.0.1:<port>` of a gateway. */
  readonly baseUrl: string | undefined;
  pid(): number | undefined;
  /** Sends a signal; the supervisor starts the process again when the signal ends it. */
  kill(signal: NodeJS.Signals): boolean;
  /** Resolves when the process that runs now has ended. */
  exited(): Promise<void>;
  /** Resolves when it serves; after `kill`, wait for `exited` first. */
  waitReady(timeoutMs?: number): Promise<void>;
  /** Stops it permanently, as SIGTERM does. */
  stop(): Promise<void>;
  /** Starts it again after `stop`, on the same ports; `waitReady` says when it serves. */
  start(): void;
  /** Stops and starts it again on the same ports, and waits until it serves. */
  restart(): Promise<void>;
}
