// Reserves ports on the loopback interface for the servers of a stack. Called by stack.ts before anything
// starts. It must never give a port to two stacks, also while neither the stack nor its server has it bound.

import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

/** The stack listens nowhere else: it is for one machine. */
export const LOOPBACK = "127.0.0.1";

/**
 * Ports for internal servers come from below the range that the kernel gives to outgoing
 * connections, so that a connection cannot take the port of a server that is being restarted.
 */
const SPAN = 12_000;
const USUAL_EPHEMERAL_START = 32_768;
const LOWEST_PORT = 10_000;
const ATTEMPTS = 200;

/** A port that no other process can bind until it is released, and no other stack until it is closed. */
export interface ReservedPort {
  readonly port: number;
  /** Releases the port; called just before its server binds it. May be called again. */
  release(): Promise<void>;
  /** Lets other stacks have the port; called when its server has stopped. May be called again. */
  close(): Promise<void>;
}

/** Reserves a given port. Throws one line when another process has it. */
export async function reservePort(port: number): Promise<ReservedPort> {
  const reserved = await tryReserve(port);
  if (reserved !== undefined) return reserved;
  throw new Error(
    `port ${port} is in use on ${LOOPBACK}: stop the process that listens there, or set ANNALS_PORT to another port`,
  );
}

/**
 * Reserves any free port outside the kernel's range for outgoing connections. Ports are taken in pairs: the
 * first stays bound here until `close` and keeps other stacks from the second, which the server gets.
 * `random` returns an integer below its argument.
 */
export async function reserveFreePort(
  random: (below: number) => number = randomInt,
): Promise<ReservedPort> {
  const high = ephemeralStart();
  const low = Math.max(LOWEST_PORT, high - SPAN);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = low + 2 * random(Math.floor((high - low) / 2));
    const claim = await tryReserve(first);
    if (claim === undefined) continue;
    const reserved = await tryReserve(first + 1);
    if (reserved !== undefined) {
      const close = async () => {
        await Promise.all([reserved.close(), claim.close()]);
      };
      return { ...reserved, close };
    }
    await claim.close();
  }
  throw new Error(`no free port found between ${low} and ${high} in ${ATTEMPTS} attempts`);
}

/** For a program that is told its port. */
export async function freePort(): Promise<number> {
  const reserved = await reserveFreePort();
  await reserved.close();
  return reserved.port;
}

function tryReserve(port: number): Promise<ReservedPort | undefined> {
  return new Promise((resolve, reject) => {
    // Early connections are closed: an open one would delay the release.
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else if (error.code === "EACCES")
        reject(
          new Error(`this user may not listen on port ${port}: set ANNALS_PORT to another port`),
        );
      else reject(error);
    });
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      server.unref();
      const release = () => new Promise<void>((released) => server.close(() => released()));
      resolve({ port, release, close: release });
    });
  });
}

function ephemeralStart(): number {
  try {
    const text = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
    const start = Number(text.split(/\s+/)[0]);
    return start > LOWEST_PORT + 1_000 ? start : USUAL_EPHEMERAL_START;
  } catch {
    return USUAL_EPHEMERAL_START;
  }
}
