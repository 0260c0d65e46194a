// What a client without a key, or one account, can do to the slots of a gateway. Run by hostile-slots.test.ts
// in a process of its own. An attack opens again what the gateway closes.

import { mintKey } from "@annals/contract";
import { connect, type Socket } from "node:net";

/** The one that takes the most memory first: what was freed before it would still count. */
export const ATTACK_NAMES = [
  "pipelined lists that are not read",
  "public pages, read slowly, by 12 addresses",
  "public pages, read slowly, at the address of the other account",
  "unknown keys at the address of the other account",
  "half-sent bodies at the address of the other account",
  "lists that their client leaves",
] as const;

export type AttackName = (typeof ATTACK_NAMES)[number];

export interface Target {
  readonly baseUrl: string;
  readonly key: string;
  /** Of the other account. */
  readonly address: string;
}

interface Attack {
  readonly connections: number;
  /** What the connection `n` sends. */
  readonly sends: (target: Target, n: number) => string;
  readonly does: (socket: Socket, sends: () => string) => void;
}

const PIPELINE = 32;
const ADDRESSES = 12;
/** A slow client reads something now and then. */
const READ_EVERY_MS = 500;
/** What a client waits that leaves: its request has arrived by then. */
const LEAVE_AFTER_MS = 20;

function head(start: string, from: string, key?: string, ...headers: string[]): string {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  const all = ["Host: x", `X-Forwarded-For: ${from}`, ...authorization, ...headers];
  return [`${start} HTTP/1.1`, ...all, "\r\n"].join("\r\n");
}

function readSlowly(socket: Socket): void {
  socket.on("data", () => socket.pause());
  const timer = setInterval(() => socket.resume(), READ_EVERY_MS);
  socket.once("close", () => clearInterval(timer));
}

const ATTACKS: Readonly<Record<AttackName, Attack>> = {
  "public pages, read slowly, by 12 addresses": {
    connections: 543,
    sends: (_target, n) => head("GET /docs", `198.51.100.${n % ADDRESSES}`).repeat(PIPELINE),
    does: readSlowly,
  },
  "public pages, read slowly, at the address of the other account": {
    connections: 132,
    sends: ({ address }) => head("GET /docs", address).repeat(PIPELINE),
    does: readSlowly,
  },
  "unknown keys at the address of the other account": {
    connections: 200,
    sends: ({ address }) => head("GET /v1/events", address, mintKey("annals")).repeat(PIPELINE),
    does: (socket, sends) => socket.on("data", () => socket.write(sends())),
  },
  "half-sent bodies at the address of the other account": {
    connections: 2_100,
    sends: ({ address, key }) =>
      `${head("POST /v1/events", address, key, "Content-Type: application/json", "Content-Length: 1000")}{`,
    does: (socket) => socket.resume(),
  },
  "pipelined lists that are not read": {
    connections: 64,
    sends: ({ key }) => head("GET /v1/events?limit=100", "198.51.100.1", key).repeat(PIPELINE),
    does: (socket) => socket.pause(),
  },
  "lists that their client leaves": {
    connections: 32,
    sends: ({ key }) => head("GET /v1/events?limit=100", "198.51.100.1", key),
    does: (socket) => setTimeout(() => socket.resetAndDestroy(), LEAVE_AFTER_MS),
  },
};

/** Goes on until the process ends. */
export function attack({ name, ...target }: Target & { readonly name: AttackName }): void {
  const { connections, does, sends } = ATTACKS[name];
  const { hostname, port } = new URL(target.baseUrl);
  const openOne = (n: number): void => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.on("connect", () => {
      socket.write(sends(target, n));
      does(socket, () => sends(target, n));
    });
    socket.on("close", () => setImmediate(openOne, n));
  };
  for (let n = 0; n < connections; n += 1) openOne(n);
}
