// A stack of another checkout, started by its own `npm start`: what an interleaved A/B measures. Called by
// compare.ts. It must never touch another stack's data, nor leave a process behind.

import { removeData } from "@annals/local";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Measured, stackOf } from "../cpu.ts";

/** No key reaches it. */
const RATE_LIMIT_PER_MINUTE = "1000000000";

export interface CheckoutStack {
  /** The checkout's folder, as the table shows it. */
  readonly name: string;
  /** Of a gateway, without `/v1`. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly processes: readonly Measured[];
  stop(): Promise<void>;
}

/** Its webhooks may go to receivers of this machine, with certificates of the authority in `caFile`. */
export async function startCheckout(folder: string, caFile: string): Promise<CheckoutStack> {
  const checkout = resolve(folder);
  const dataDir = await mkdtemp(join(tmpdir(), "annals-bench-"));
  const child = spawn(process.execPath, ["deploy/local/bootstrap.mjs", "local"], {
    cwd: checkout,
    env: {
      ...withoutSettings(process.env),
      ANNALS_PORT: "0",
      ANNALS_DATA_DIR: dataDir,
      ANNALS_RATE_LIMIT_PER_MINUTE: RATE_LIMIT_PER_MINUTE,
      ANNALS_WEBHOOK_CA_FILE: caFile,
      ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES: "true",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill("SIGTERM")) await once(child, "exit");
    removeData(dataDir);
  };
  try {
    const baseUrl = await readyUrl(child);
    const databaseUrl = (await readFile(join(dataDir, "run/database-url"), "utf8")).trim();
    const processes = await stackOf(child.pid ?? 0);
    return { name: basename(checkout), baseUrl, databaseUrl, processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `npm start` prints `ready http://127.0.0.1:<port>/v1` when every service is. */
async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the stack has no standard output");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    const url = /^ready (\S+)\/v1$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return url;
  }
  throw new Error(`the stack did not start:\n${lines.join("\n")}`);
}

function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(ANNALS|npm)_/.test(name)),
  );
}
