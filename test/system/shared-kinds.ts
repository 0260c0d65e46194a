// The systems that files of tests share: what each has, and the server through which workers ask for them.
// Each is started by the first file that asks, once in a run, with a database of its own on the PostgreSQL of
// the run. Called by the global setup, whose end stops them, whatever became of the workers.

import { CertificateAuthority } from "@annals/certificates";
import type { Stack } from "@annals/local";
import type { SharedStack } from "@annals/testing";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startConstellation } from "./constellation.ts";
import {
  INTAKE_RATE_LIMIT,
  type Kind,
  PLANS,
  RATE_LIMIT,
  SETTING_OF_EXPORT_BYTES,
  type SharedSystem,
} from "./shared-systems.ts";

interface Options {
  /** The one that the run has started, which is the kind `one`. */
  readonly stack: Stack;
  readonly shared: SharedStack;
  /** How many ledgers `replicas` has. */
  readonly ledgers: number;
}

interface Started {
  readonly system: SharedSystem;
  stop(): Promise<void>;
}

export class SharedSystems {
  readonly #stack: Stack;
  readonly #shared: SharedStack;
  readonly #ledgers: number;
  readonly #folder: string;
  readonly #server = createServer((request, response) => {
    void this.#answer(request.url?.slice(1) as Kind, response);
  });
  readonly #started = new Map<Kind, Promise<Started>>();

  private constructor({ ledgers, shared, stack }: Options, folder: string) {
    this.#stack = stack;
    this.#shared = shared;
    this.#ledgers = ledgers;
    this.#folder = folder;
  }

  /** Starts none of the kinds yet. */
  static async open(options: Options): Promise<SharedSystems> {
    const folder = await mkdtemp(join(tmpdir(), "annals-shared-"));
    const systems = new SharedSystems(options, folder);
    systems.#server.listen(0, "127.0.0.1");
    await once(systems.#server, "listening");
    return systems;
  }

  /** What `shared` asks. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stops all that were started. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    const started = await Promise.allSettled(this.#started.values());
    const running = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    await Promise.all(running.map((one) => one.stop()));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answer(kind: Kind, response: ServerResponse): Promise<void> {
    try {
      const started = this.#started.get(kind) ?? this.#start(kind);
      this.#started.set(kind, started);
      response.end(JSON.stringify((await started).system));
    } catch (error) {
      response.writeHead(500).end(`${kind}: ${String(error)}`);
    }
  }

  async #start(kind: Kind): Promise<Started> {
    // The run stops its own stack.
    if (kind === "one") return { system: seen(this.#stack), stop: async () => {} };
    const authority = await CertificateAuthority.create();
    const [plans, caFile] = [join(this.#folder, `${kind}.json`), join(this.#folder, `${kind}.pem`)];
    await writeFile(plans, JSON.stringify(PLANS));
    await writeFile(caFile, authority.cert);
    const given = { shared: this.#shared, ledgers: this.#ledgers, plans, caFile };
    const stack = await (kind === "replicas" ? startReplicas(given) : startWebhooks(given));
    const { cert, key } = authority;
    return { system: { ...seen(stack), authority: { cert, key } }, stop: () => stack.stop() };
  }
}

interface Given extends Omit<Options, "stack"> {
  readonly plans: string;
  readonly caFile: string;
}

async function startReplicas({ ledgers: count, plans, shared }: Given): Promise<Stack> {
  const stack = await startConstellation({
    shared,
    replicas: { keys: 2, ledger: count },
    rateLimitPerMinute: RATE_LIMIT,
    env: {
      keys: {
        ANNALS_PLANS_FILE: plans,
        ANNALS_INTAKE_RATE_LIMIT_PER_MINUTE: String(INTAKE_RATE_LIMIT),
      },
      gateway: { ANNALS_ACCESS_LOG: "all", ANNALS_TRUSTED_PROXIES: "127.0.0.1,::1" },
    },
    without: ["nats", "export", "webhook-dispatcher"],
  });
  const ledgers = stack.processes.filter(({ service }) => service === "ledger");
  await Promise.all(
    ledgers.map(({ rpcAddress }) =>
      stack.addReplica("gateway", { ANNALS_LEDGER_ADDRESS: `ipv4:${rpcAddress}` }),
    ),
  );
  return stack;
}

function startWebhooks({ shared, plans, caFile }: Given): Promise<Stack> {
  return startConstellation({
    shared,
    replicas: { ledger: 2 },
    env: {
      keys: { ANNALS_PLANS_FILE: plans },
      ledger: { ANNALS_ERASURE_DELAY_H: "0", ANNALS_LOG_EPOCH_S: "1" },
      export: { ANNALS_EXPORT_MAX_BYTES_PER_ACCOUNT: String(SETTING_OF_EXPORT_BYTES) },
      "webhook-dispatcher": {
        ANNALS_WEBHOOK_CA_FILE: caFile,
        ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true",
      },
    },
  });
}

/** What tests need of a stack that they do not stop. */
function seen({ baseUrls, certificates, dataDir, databaseUrl, processes }: Stack): SharedSystem {
  return {
    baseUrls,
    certificates,
    dataDir,
    databaseUrl,
    processes: processes.map(({ service, index, adminUrl, rpcAddress, baseUrl }) => ({
      service,
      index,
      adminUrl,
      rpcAddress,
      baseUrl,
    })),
    authority: undefined,
  };
}
