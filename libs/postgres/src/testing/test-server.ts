// Fixtures of the tests of this folder: pools that close with their test, and a TCP proxy before PostgreSQL
// that passes, holds back or cuts the traffic that a test chooses. Imported by tests only.

import { createLog } from "@annals/chassis";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { inject, onTestFinished } from "vitest";
import { createPool, type Pool, type PoolOptions } from "../pool.ts";
import { createDatabase, type TestDatabase } from "@annals/testing";

/** A database of the test's own. */
export async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(inject("stack").databaseUrl);
  onTestFinished(() => database.drop());
  return database;
}

export function openPool(connectionString: string, options: Partial<PoolOptions> = {}): Pool {
  const pool = createPool({
    connectionString,
    applicationName: "annals-pool-test",
    maxConnections: 2,
    statementTimeoutMs: 5_000,
    log: createLog({ service: "test", level: "error" }),
    ...options,
  });
  onTestFinished(() => pool.close());
  return pool;
}

export interface Proxy {
  /** Of the same database, through the proxy. */
  readonly url: string;
  /**
   * Called with every chunk that a client sends; where it answers `cut` the server gets the chunk
   * and both ends are cut before any answer, where `hold` the server gets it and no answer comes
   * back.
   */
  onRequest: (chunk: Buffer) => "pass" | "cut" | "hold";
  /** Called with every chunk of the server's; the client gets what it returns, in one piece. */
  onAnswer: (chunk: Buffer) => Buffer;
  /** Cuts every connection, as a server that shuts down. */
  cutAll(): void;
}

/** Until the proxy has seen the server's answer, which the client then never gets. */
export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let fate: "pass" | "cut" | "hold" = "pass";
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", cut);
    }
    client.on("data", (chunk) => {
      if (fate === "pass") fate = proxy.onRequest(chunk);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (fate === "pass") client.write(proxy.onAnswer(chunk));
      else if (fate === "cut") cut();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cutAll = (): void => sockets.forEach((socket) => socket.destroy());
  const proxy: Proxy = {
    url: url.href,
    onRequest: () => "pass",
    onAnswer: (chunk) => chunk,
    cutAll,
  };
  onTestFinished(() => {
    cutAll();
    server.close();
  });
  return proxy;
}
