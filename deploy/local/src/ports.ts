// Reserves ports on the loopback interface for the servers of a stack. Called by stack.ts before anything
// starts. It must never give the same port twice: a port stays bound here until its server starts.

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

/** A port that no other process can bind until it is released. */
export interface ReservedPort {
  readonly port: number;
  /** Releases the port; called just before its server binds it. May be called again. */
  release(): Promise<void>;
}

/** Reserves a given port. Throws one line when another process has it. */
export async function reservePort(port: number): Promise<ReservedPort> {
  const reserved = await tryReserve(port);
  if (reserved !== undefined) return reserved;
  throw new Error(
    `port ${port} is in use on ${LOOPBACK}: stop what listens there, or set ANNALS_PORT to another port`,
  );
}

/** Reserves any free port outside the kernel's range for outgoing connections. */
export async function reserveFreePort(): Promise<ReservedPort> {
  const high = ephemeralStart();
  const low = Math.max(LOWEST_PORT, high - SPAN);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const reserved = await tryReserve(randomInt(low, high));
    if (reserved !== undefined) return reserved;
  }
  throw new Error(`no free port found between ${low} and ${high} in ${ATTEMPTS} attempts`);
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
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) });
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
