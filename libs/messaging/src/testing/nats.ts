// A nats-server for one test file, on its own port and directory, that can be stopped, frozen and wiped. Used
// by the tests beside it only.

import { type Stack, type StackProcess, startStack } from "@annals/local";
import { createRegistry } from "@annals/chassis";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noticeMetrics } from "../metrics.ts";
import type { NoticeKind } from "../subjects.ts";

/** A stack without services and PostgreSQL: its database URL is never used, and its root has no services. */
export class TestNats {
  /** A URL with every right. */
  readonly url: string;
  readonly #process: StackProcess;
  readonly #stack: Stack;

  static async start(): Promise<TestNats> {
    const dataDir = await mkdtemp(join(tmpdir(), "annals-nats-"));
    const { PATH } = process.env;
    return new TestNats(
      await startStack({
        dataDir,
        root: dataDir,
        environment: { PATH },
        databaseUrl: "postgres://nobody@127.0.0.1:1/none",
      }),
    );
  }

  private constructor(stack: Stack) {
    const server = stack.processes.find(({ service }) => service === "nats");
    if (!server) throw new Error("there is no nats-server on this machine");
    this.#process = server;
    this.#stack = stack;
    this.url = stack.natsUrl;
  }

  /** A URL with the login of a service. */
  urlOf(service: "ledger" | "export" | "webhook-dispatcher"): string {
    return this.#stack.natsUrls[service] ?? "";
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async start(): Promise<void> {
    this.#process.start();
    await this.#process.waitReady();
  }

  /** Starts it again with more lines in its configuration. */
  async configure(lines: string): Promise<void> {
    await this.stop();
    await appendFile(join(this.#stack.dataDir, "run/nats.conf"), lines);
    await this.start();
  }

  /** Its connections stay open, and nothing is answered. */
  freeze(): void {
    this.#process.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process.kill("SIGCONT");
  }

  /** Stops it, deletes the data of JetStream, and starts it again. */
  async wipe(): Promise<void> {
    await this.stop();
    await rm(join(this.#stack.dataDir, "nats"), { recursive: true });
    await this.start();
  }

  async remove(): Promise<void> {
    await this.#stack.stop();
    await rm(this.#stack.dataDir, { recursive: true, force: true });
  }
}

/** Metrics in a registry of their own, and how to read them. */
export function newMetrics() {
  const metrics = noticeMetrics(createRegistry("test"));
  const read = async (kind: NoticeKind, which: "published" | "failed") => {
    const { values } = await metrics[which].get();
    return values.find(({ labels }) => labels["kind"] === kind)?.value ?? 0;
  };
  return { metrics, read };
}
