// Guarantee: a stack's NATS has JetStream, listens on the loopback interface, and is started again after its
// death; the server of another stack is not taken for it; a start with a named binary that does not exist
// fails and names it.

import { connect } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { DataDirectory } from "./data-directory.ts";
import { natsSpec, newNatsPasswords } from "./nats.ts";
import { startStack } from "./stack.ts";
import { temporaryFolder } from "./testing/folders.ts";

/** Servers start and stop in these tests, on a machine that may be busy. Milliseconds. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const without = ["keys", "ledger", "export", "webhook-dispatcher", "gateway"] as const;
/** A stack with these URLs starts no PostgreSQL; nothing connects to it here. */
const databaseUrl = "postgres://nobody@127.0.0.1:9/none";
const environment = { PATH: process.env["PATH"] };

async function serverInfo(url: string): Promise<Record<string, unknown>> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const [bytes]: unknown[] = await once(socket, "data");
  const info: Record<string, unknown> = JSON.parse(String(bytes).replace(/^INFO /, ""));
  return info;
}

test("NATS serves JetStream on the loopback interface, and serves again after a kill", async () => {
  const stack = await startStack({ dataDir: temporaryFolder(), databaseUrl, environment, without });
  onTestFinished(() => stack.stop());
  expect(await serverInfo(stack.natsUrl)).toMatchObject({ jetstream: true, host: "127.0.0.1" });
  const [server] = stack.processes;
  server?.kill("SIGKILL");
  await server?.exited();
  await server?.waitReady();
  expect(await serverInfo(stack.natsUrl)).toMatchObject({ jetstream: true });
});

test("another stack's server on the same port is not taken for the stack's own", async () => {
  const stack = await startStack({ dataDir: temporaryFolder(), databaseUrl, environment, without });
  onTestFinished(() => stack.stop());
  const port = Number(new URL(stack.natsUrl).port);
  const nothing = async () => {};
  const samePort = { port, release: nothing, close: nothing };
  const directory = DataDirectory.open(temporaryFolder());
  const { isReady } = natsSpec("nats-server", directory, samePort, newNatsPasswords());
  expect(await isReady(0)).toBe(false);
});

test("a named binary that is not there ends the start", async () => {
  const natsServerBin = "/nowhere/nats-server";
  const options = { dataDir: temporaryFolder(), databaseUrl, environment, without, natsServerBin };
  await expect(startStack(options)).rejects.toThrow(
    "ANNALS_NATS_SERVER_BIN names /nowhere/nats-server",
  );
});
