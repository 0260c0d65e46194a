// What one client can do to a gateway to the harm of others. Called in the process of attack-child.ts. An
// attack opens again what the gateway closes.

import { mintKey } from "@annals/contract";
import { connect, type Socket } from "node:net";

export const ATTACK_NAMES = [
  "half-sent bodies",
  "unread answers",
  "unread downloads",
  "40 verifications",
  "bodies of 4 MiB",
  "bodies to unknown paths",
  "malformed keys",
  "unknown keys",
  "the head log",
] as const;

export type AttackName = (typeof ATTACK_NAMES)[number];

export interface Target {
  readonly baseUrl: string;
  readonly key: string;
  /** Path of a large export's content. */
  readonly download: string;
}

interface Attack {
  readonly connections: number;
  /** What a connection sends, and again after each answer if `isEndless`. */
  readonly sends: (target: Target) => string;
  readonly isEndless?: boolean;
  /** Requests per second of all connections together, whether or not they are answered. */
  readonly perSecond?: number;
  /** Whether it reads nothing. */
  readonly isDeaf?: boolean;
}

/** Behind a proxy that the gateway trusts. */
const ADDRESS = "198.51.100.1";
const MIB = 1024 * 1024;
const JSON_TYPE = "Content-Type: application/json";

function head(start: string, key: string | undefined, ...headers: string[]): string {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  const from = `X-Forwarded-For: ${ADDRESS}`;
  return [`${start} HTTP/1.1`, "Host: x", from, ...authorization, ...headers, "\r\n"].join("\r\n");
}

/** A valid batch of nearly 4 MiB. */
const BATCH = JSON.stringify({
  events: Array.from({ length: 60 }, () => ({
    action: "a",
    metadata: { text: "x".repeat(60_000) },
  })),
});

const ATTACKS: Readonly<Record<AttackName, Attack>> = {
  "half-sent bodies": {
    connections: 2_100,
    sends: ({ key }) => `${head("POST /v1/events", key, JSON_TYPE, "Content-Length: 1000")}{`,
  },
  "unread answers": {
    connections: 200,
    // They are made one after the other, and several pages fit into the buffers of the kernel.
    sends: ({ key }) => head("GET /v1/events?limit=100", key).repeat(32),
    isDeaf: true,
  },
  "unread downloads": {
    connections: 200,
    sends: ({ key, download }) => head(`GET ${download}`, key),
    isDeaf: true,
  },
  "40 verifications": {
    connections: 40,
    sends: ({ key }) => head("GET /v1/verify", key),
    isEndless: true,
  },
  "bodies of 4 MiB": {
    connections: 8,
    sends: ({ key }) =>
      head("POST /v1/events/batch", key, JSON_TYPE, `Content-Length: ${BATCH.length}`) + BATCH,
    isEndless: true,
  },
  "bodies to unknown paths": {
    connections: 32,
    sends: () => head("POST /x", undefined, `Content-Length: ${4 * MIB}`) + "x".repeat(4 * MIB),
    isEndless: true,
  },
  "malformed keys": {
    connections: 32,
    sends: () => head("GET /v1/events", "annals_sk_malformed"),
    isEndless: true,
  },
  "unknown keys": {
    connections: 32,
    sends: () => head("GET /v1/events", mintKey("annals")),
    isEndless: true,
  },
  "the head log": {
    connections: 32,
    sends: () => head("GET /log/checkpoint", undefined),
    perSecond: 2_000,
  },
};

/** Goes on until the process ends. */
export function attack({ name, ...target }: Target & { readonly name: AttackName }): void {
  const { connections, sends, isEndless, isDeaf, perSecond } = ATTACKS[name];
  const { hostname, port } = new URL(target.baseUrl);
  const openOne = (): void => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.on("connect", () => socket.write(sends(target)));
    if (isDeaf) socket.pause();
    // What comes back is an answer: the next request.
    else socket.on("data", () => isEndless && socket.write(sends(target)));
    if (perSecond) pace(socket, connections / perSecond, () => sends(target));
    socket.on("close", () => setImmediate(openOne));
  };
  for (let n = 0; n < connections; n += 1) openOne();
}

/** Writes each `everyS` seconds, and what a busy process was late for. */
function pace(socket: Socket, everyS: number, text: () => string): void {
  const begun = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = (performance.now() - begun) / 1_000 / everyS; sent < due; sent += 1)
      socket.write(text());
  }, 1_000 * everyS);
  socket.on("close", () => clearInterval(timer));
}
