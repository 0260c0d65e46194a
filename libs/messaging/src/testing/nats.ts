// A nats-server of a test's own, on a port and a directory of its own, that can be stopped, started and
// robbed of its disk. Used by the tests beside it only.

import { type Stack, type StackProcess, startStack } from "@annals/local";
import { createRegistry, createLog, type Logger } from "@annals/chassis";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { noticeMetrics } from "../metrics.ts";
import type { NoticeKind } from "../subjects.ts";

/**
 * No service and no PostgreSQL: the stack is given a database that nothing asks for, and a folder without
 * services.
 */
export class TestNats {
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

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async start(): Promise<void> {
    this.#process.start();
    await this.#process.waitReady();
  }

  /** It keeps its connections and answers nothing. */
  freeze(): void {
    this.#process.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process.kill("SIGCONT");
  }

  /** Stops it, deletes what JetStream keeps, and starts it again. */
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

/** A log that keeps its lines. */
export function keptLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: createLog({ service: "test", level: "debug" }, sink), lines };
}

/** Metrics of their own, and what they say of one kind. */
export function keptMetrics() {
  const metrics = noticeMetrics(createRegistry("test"));
  const read = async (kind: NoticeKind, which: "published" | "failed") => {
    const { values } = await metrics[which].get();
    return values.find(({ labels }) => labels["kind"] === kind)?.value ?? 0;
  };
  return { metrics, read };
}
