// The shapes that a user of a stack sees: what may be asked of it and what a process of it offers.
// Read by stack.ts, main.ts and the tests' constellation. It must never hold code.

import type { Variables } from "./service-process.ts";
import type { ServiceName } from "./services.ts";

export interface StackOptions {
  /** Absolute path; made where absent. */
  readonly dataDir: string;
  /** Port of the first gateway, the others follow; 0 (unless told) takes a free port for each. */
  readonly port?: number;
  /**
   * What services inherit: PATH, ANNALS_* settings of their own. The caller passes its
   * `process.env` or a choice of it.
   */
  readonly environment: Variables;
  /** Processes of each service; one where not named. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  readonly rateLimitPerMinute?: number | undefined;
  readonly bootstrapKey?: string | undefined;
  readonly keyPrefix?: string | undefined;
  /** Servers to use instead of starting any. */
  readonly databaseUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
  /** The database of `databaseUrl` has every schema already: no migration is run. */
  readonly isMigrated?: boolean;
  readonly natsServerBin?: string | undefined;
  /** Variables that win over what the stack sets, for one service or for every one. */
  readonly env?: Partial<Record<ServiceName | "every", Variables>>;
  /**
   * What not to start although it is built. Without `nats`, services get the URL of a port where
   * nobody listens.
   */
  readonly without?: readonly (ServiceName | "nats")[];
  /** Gets a line for each thing that a person watching wants to know. Nothing unless told. */
  readonly log?: (line: string) => void;
  /** Deletes the data, wherever it lies, when the stack stops or does not start: for tests. */
  readonly isDisposable?: boolean;
  /** Stops a start that is under way. */
  readonly signal?: AbortSignal;
  /** Folder that holds `services/<name>/src/main.ts`; the checkout unless told. */
  readonly root?: string;
}

/** One process of the stack, as tests and main.ts see it. */
export interface StackProcess {
  /** A service's name, `postgres` or `nats`. */
  readonly service: ServiceName | "postgres" | "nats";
  /** From 1. */
  readonly index: number;
  /** `http://127.0.0.1:<port>` of the admin server; undefined for postgres and nats. */
  readonly adminUrl: string | undefined;
  /** `127.0.0.1:<port>` of the RPC server; undefined for a gateway, postgres and nats. */
  readonly rpcAddress: string | undefined;
  /** `http://127.0.0.1:<port>` of a gateway. */
  readonly baseUrl: string | undefined;
  pid(): number | undefined;
  /** Sends a signal as an outsider would; the supervisor starts it again when it dies of it. */
  kill(signal: NodeJS.Signals): boolean;
  /** Resolves when the process that runs now has ended. */
  exited(): Promise<void>;
  /** Resolves when it serves; after `kill`, wait for `exited` first. */
  waitReady(timeoutMs?: number): Promise<void>;
  /** Stops it for good, as SIGTERM does. */
  stop(): Promise<void>;
  /** Starts it again after `stop`, on the same ports; `waitReady` says when it serves. */
  start(): void;
  /** Stops and starts it again on the same ports, and waits until it serves. */
  restart(): Promise<void>;
}
