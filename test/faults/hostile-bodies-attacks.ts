// What one account can send that is compressed and never stored. Called in the process of attack-child.ts.
// Each connection sends the same again as soon as it is answered.

import { type Answer, HttpClient } from "@annals/testing";
import { randomBytes } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";

export const ATTACK_NAMES = [
  "bombs of gzip",
  "bombs of zstd",
  "nested bombs",
  "bodies that are cut off",
  "bytes after the end",
] as const;

export type AttackName = (typeof ATTACK_NAMES)[number];

export interface Target {
  readonly name: AttackName;
  readonly baseUrl: string;
  readonly key: string;
}

type Body = readonly [coding: "gzip" | "zstd", bytes: Buffer];

const CONNECTIONS = 40;
const PATH = "/v1/intake/kubernetes";
const MIB = 1024 * 1024;
/** One byte more than a body may inflate to. */
const BEYOND = 8 * MIB + 1;
/** The part of it that does not shrink. */
const DENSE_BYTES = 48 * 1024;
const HUGE = 256 * MIB;

/** Is refused only when all that a body may inflate to has been made. */
function bomb(): Buffer {
  const dense = randomBytes(DENSE_BYTES);
  return Buffer.concat([dense, Buffer.alloc(BEYOND - DENSE_BYTES, " ")]);
}

const BODIES: Readonly<Record<AttackName, () => readonly Body[]>> = {
  "bombs of gzip": () => [["gzip", gzipSync(bomb())]],
  "bombs of zstd": () => [["zstd", zstdCompressSync(bomb())]],
  "nested bombs": () => {
    const inner = gzipSync(Buffer.alloc(HUGE));
    return [
      ["gzip", gzipSync(inner)],
      ["zstd", zstdCompressSync(inner)],
      ["gzip", inner],
    ];
  },
  "bodies that are cut off": () => [
    ["gzip", gzipSync(bomb().subarray(0, -2)).subarray(0, -8)],
    ["zstd", zstdCompressSync(bomb().subarray(0, -2)).subarray(0, -8)],
  ],
  "bytes after the end": () => {
    const whole = bomb().subarray(0, -2);
    const first = gzipSync(whole);
    return [
      ["gzip", Buffer.concat([first, Buffer.from("x")])],
      ["gzip", Buffer.concat([first, first])],
      ["zstd", Buffer.concat([zstdCompressSync(whole), Buffer.from("x")])],
    ];
  },
};

/** What sends each body of an attack once, and resolves to the answer. */
export function sendersOf(name: AttackName): ((client: HttpClient) => Promise<Answer>)[] {
  return BODIES[name]().map(([coding, body]) => {
    const headers = { "content-type": "application/json", "content-encoding": coding };
    return (client) => client.post(PATH, body, { headers });
  });
}

/** Goes on until its process is ended. */
export function attack({ name, baseUrl, key }: Target): void {
  const senders = sendersOf(name);
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const client = new HttpClient(baseUrl, key);
    const send = senders[n % senders.length];
    void (async () => {
      for (;;) await send?.(client).catch(() => {});
    })();
  }
}
