// A real witness, litewitness of filippo.io/torchwood: built by Go, run as a process, with a database and a
// key of its own. It signs through an ssh-agent, which is served here. Its logs are rows of its database,
// written here as its `witnessctl` writes them: that program needs a module that the proxy may refuse. Called
// by the fault test of witnesses.

import { EMPTY_TREE, KEY_TYPE, keyOf, rootOf, type VerifierKey, vkeyOf } from "@annals/tlog";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buildPrograms } from "./go-programs.ts";

/** The newest that needs no newer Go than most machines have. */
const VERSION = "v0.9.0";
const NAME = "litewitness.example";
const RAW_BYTES = 32;
/** How long an insert waits for the witness to leave its database. */
const BUSY_MS = 5_000;
const UINT32_BYTES = 4;
const REQUEST_IDENTITIES = 11;
const IDENTITIES = 12;
const SIGN_REQUEST = 13;
const SIGNATURE = 14;
const FAILURE = 5;

export const buildLitewitness = (): Promise<string> =>
  buildPrograms("filippo.io/torchwood", VERSION, ["cmd/litewitness"]);

export class Litewitness {
  /** Lines that it has logged. */
  output = "";
  readonly #programs: string;
  readonly #folder: string;
  readonly #pair = generateKeyPairSync("ed25519");
  readonly #agent: Server;
  #child: ChildProcess | undefined;
  #port = 0;

  private constructor(programs: string, folder: string) {
    this.#programs = programs;
    this.#folder = folder;
    this.#agent = createServer((socket) => this.#serveAgent(socket));
  }

  static async start(programs: string): Promise<Litewitness> {
    const witness = new Litewitness(programs, await mkdtemp(join(tmpdir(), "lw-")));
    await witness.#start();
    return witness;
  }

  async #start(): Promise<void> {
    const socket = join(this.#folder, "agent");
    this.#agent.listen(socket);
    await once(this.#agent, "listening");
    this.#port = await freePort();
    const digest = createHash("sha256").update(this.#publicKey).digest("hex");
    const places = ["-db", this.#database, "-ssh-agent", socket];
    const args = [...places, "-name", NAME, "-key", digest, "-listen", `127.0.0.1:${this.#port}`];
    const child = spawn(join(this.#programs, "litewitness"), args, {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    while (!this.output.includes("listening")) {
      await Promise.race([once(child.stderr, "data"), once(child, "exit")]);
      if (child.exitCode !== null) throw new Error(`litewitness has ended: ${this.output}`);
    }
    // It logs each request from now on.
    child.kill("SIGUSR1");
  }

  /** Has the witness cosign the log with this key. */
  addLog(key: VerifierKey): void {
    const database = new DatabaseSync(this.#database, { timeout: BUSY_MS });
    try {
      const root = Buffer.from(rootOf(EMPTY_TREE)).toString("base64");
      database
        .prepare("INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)")
        .run(key.name, root);
      database.prepare("INSERT INTO key (origin, key) VALUES (?, ?)").run(key.name, vkeyOf(key));
    } finally {
      database.close();
    }
  }

  /** A line of a policy. */
  line(name: string): string {
    const key = keyOf(NAME, KEY_TYPE.ed25519Cosignature, this.#publicKey);
    return `witness ${name} ${vkeyOf(key)} http://127.0.0.1:${this.#port}/\n`;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    this.#agent.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #database(): string {
    return join(this.#folder, "witness.db");
  }

  get #publicKey(): Buffer {
    return this.#pair.publicKey.export({ format: "der", type: "spki" }).subarray(-RAW_BYTES);
  }

  /** Answers each message of the protocol of ssh-agent: which key there is, and signatures by it. */
  #serveAgent(socket: Socket): void {
    let waiting = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= UINT32_BYTES) {
        const end = UINT32_BYTES + waiting.readUInt32BE(0);
        if (waiting.length < end) return;
        socket.write(sized(this.#answer(waiting.subarray(UINT32_BYTES, end))));
        waiting = waiting.subarray(end);
      }
    });
  }

  #answer(message: Buffer): Buffer {
    const blob = Buffer.concat([sized("ssh-ed25519"), sized(this.#publicKey)]);
    if (message[0] === REQUEST_IDENTITIES)
      return Buffer.concat([Uint8Array.of(IDENTITIES, 0, 0, 0, 1), sized(blob), sized("test")]);
    if (message[0] !== SIGN_REQUEST) return Buffer.of(FAILURE);
    const [, data = Buffer.alloc(0)] = stringsOf(message.subarray(1));
    const signature = sign(null, data, this.#pair.privateKey);
    const signed = Buffer.concat([sized("ssh-ed25519"), sized(signature)]);
    return Buffer.concat([Uint8Array.of(SIGNATURE), sized(signed)]);
  }
}

function sized(bytes: Buffer | string): Buffer {
  const length = Buffer.alloc(UINT32_BYTES);
  length.writeUInt32BE(Buffer.byteLength(bytes));
  return Buffer.concat([length, Buffer.from(bytes as never)]);
}

/** The strings at the beginning; flags are left. */
function stringsOf(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  let rest = bytes;
  while (rest.length > UINT32_BYTES) {
    const end = UINT32_BYTES + rest.readUInt32BE(0);
    found.push(rest.subarray(UINT32_BYTES, end));
    rest = rest.subarray(end);
  }
  return found;
}

async function freePort(): Promise<number> {
  const server = createHttpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
