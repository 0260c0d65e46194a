// A witness of transparency logs as the specification has it (c2sp.org/tlog-witness): a real HTTP server that
// verifies the log's signature and the proof before it signs, and answers with what it has seen. It shows its
// newest checkpoint of each log. Called by flows. It trusts the keys that a test gives it.

import {
  type Checkpoint,
  cosign,
  EMPTY_ROOT,
  KEY_TYPE,
  keyOf,
  noteText,
  type NoteSignature,
  parseCheckpoint,
  parseNote,
  TlogError,
  type VerifierKey,
  verifyConsistency,
  verifyNote,
  vkeyOf,
} from "@annals/tlog";
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const ED25519_BYTES = 32;
const ML_DSA_BYTES = 1312;
const MAX_REQUEST_BYTES = 64 * 1024;
const REQUEST = /^old (0|[1-9]\d*)\n((?:[A-Za-z0-9+/=]+\n)*)\n([^]+)$/;
const MS_PER_S = 1_000;

interface Seen {
  readonly checkpoint: Checkpoint;
  /** With the log's signatures and its own. */
  readonly note: string;
}

interface Said {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
}

type Lines = "ed25519" | "ml-dsa" | "both";

export class FakeWitness {
  /** Requests by the status of their answer, in order. */
  readonly answered: number[] = [];
  /** What it knows of each log, by the origin. */
  readonly seen = new Map<string, Seen>();
  /** Which lines it signs with. */
  lines: Lines = "ed25519";
  /** Answers with this status and does nothing. */
  refuses: number | undefined;
  readonly #name: string;
  readonly #logKeys: () => readonly VerifierKey[];
  readonly #mlDsa = generateKeyPairSync("ml-dsa-44");
  readonly #seed: Buffer;
  #server: Server | undefined;
  #port = 0;

  /** `logKeys` are of the logs that it knows. */
  constructor(name: string, seedByte: number, logKeys: () => readonly VerifierKey[]) {
    this.#name = name;
    this.#seed = Buffer.alloc(ED25519_BYTES, seedByte);
    this.#logKeys = logKeys;
  }

  get key(): VerifierKey {
    const der = Buffer.concat([PKCS8, this.#seed]);
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const raw = rawOf(createPublicKey(privateKey), ED25519_BYTES);
    return keyOf(this.#name, KEY_TYPE.ed25519Cosignature, raw);
  }

  get mlDsaKey(): VerifierKey {
    const raw = rawOf(this.#mlDsa.publicKey, ML_DSA_BYTES);
    return keyOf(this.#name, KEY_TYPE.mlDsa44Cosignature, raw);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/log-witness/`;
  }

  /** A line of a policy. */
  line(name: string, key = this.key): string {
    return `witness ${name} ${vkeyOf(key)} ${this.url}\n`;
  }

  /** Serves, on the port of before if it had one. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { body = "", status, type = "text/plain" } = await this.#answer(request);
    if (request.method === "POST") this.answered.push(status);
    response.writeHead(status, { "content-type": type }).end(body);
  }

  async #answer(request: IncomingMessage): Promise<Said> {
    if (request.method === "GET") return this.#view(request.url ?? "");
    if (request.url !== "/log-witness/add-checkpoint") return { status: 404 };
    if (this.refuses !== undefined) return { status: this.refuses };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks);
    if (text.length > MAX_REQUEST_BYTES) return { status: 400 };
    return this.#addCheckpoint(text.toString("utf8"));
  }

  /** The monitoring API. */
  #view(path: string): Said {
    for (const [origin, { note }] of this.seen) {
      const log = createHash("sha256").update(origin).digest("hex");
      if (path === `/log-witness/${log}/checkpoint`) return { status: 200, body: note };
    }
    return { status: 404 };
  }

  #addCheckpoint(text: string): Said {
    const [, decimal, lines = "", note = ""] = REQUEST.exec(text) ?? [];
    if (decimal === undefined) return { status: 400 };
    const parsed = parseNote(note);
    const checkpoint = parseCheckpoint(parsed.text);
    const { origin, size } = checkpoint;
    const keys = this.#logKeys().filter(({ name }) => name === origin);
    if (keys.length === 0) return { status: 404 };
    if (!isSigned(note, keys)) return { status: 403 };
    const old = Number(decimal);
    if (old > size) return { status: 400 };
    const known = this.seen.get(origin)?.checkpoint ?? { size: 0, root: EMPTY_ROOT };
    const conflict = { status: 409, body: `${known.size}\n`, type: "text/x.tlog.size" };
    if (old !== known.size) return conflict;
    if (old === size && old > 0 && !known.root.equals(checkpoint.root)) return conflict;
    try {
      const proof = lines.split("\n").slice(0, -1);
      const hashes = proof.map((line) => Buffer.from(line, "base64"));
      verifyConsistency(known, checkpoint, hashes);
    } catch (error) {
      if (error instanceof TlogError) return { status: 422 };
      throw error;
    }
    const signed = this.#sign(parsed.text, checkpoint);
    const [first] = parsed.signatures;
    const whole = { text: parsed.text, signatures: [...(first ? [first] : []), ...signed] };
    this.seen.set(origin, { checkpoint, note: noteText(whole) });
    return { status: 200, body: noteText({ text: "", signatures: signed }).slice(1) };
  }

  #sign(text: string, checkpoint: Checkpoint): NoteSignature[] {
    const time = Math.floor(Date.now() / MS_PER_S);
    const ed25519 = cosign(this.#name, this.#seed, text, time);
    const { id, name } = this.mlDsaKey;
    const message = subtreeMessage(name, checkpoint, time);
    const bytes = Buffer.concat([uint64(time), sign(null, message, this.#mlDsa.privateKey)]);
    const mlDsa = { name, keyId: id, bytes };
    if (this.lines === "both") return [ed25519, mlDsa];
    return [this.lines === "ml-dsa" ? mlDsa : ed25519];
  }
}

function isSigned(note: string, keys: readonly VerifierKey[]): boolean {
  try {
    return verifyNote(parseNote(note), keys).signed.length > 0;
  } catch {
    return false;
  }
}

function subtreeMessage(name: string, { origin, root, size }: Checkpoint, time: number): Buffer {
  const [zero, end] = [uint64(0), uint64(size)];
  const label = Buffer.from("subtree/v1\n\0");
  return Buffer.concat([label, sized(name), uint64(time), sized(origin), zero, end, root]);
}

function sized(text: string): Buffer {
  return Buffer.concat([Uint8Array.of(Buffer.byteLength(text)), Buffer.from(text)]);
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function rawOf(key: KeyObject, length: number): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(-length);
}
