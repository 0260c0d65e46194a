// A time stamping authority (RFC 3161): `openssl ts` behind a real HTTP server, with certificates of its own.
// Called by flows. It needs openssl on the machine.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A program of the machine. */
const OPENSSL = "openssl";

const CONFIG = `
[tsa]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`;
const EXTENSIONS = "extendedKeyUsage = critical, timeStamping\nbasicConstraints = CA:FALSE\n";
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

export class OpensslTsa {
  /** Requests that it has answered. */
  answered = 0;
  readonly #folder: string;
  readonly #server: Server;
  /** Answers with another response: a change of what openssl says. */
  change: (response: Buffer) => Buffer = (response) => response;
  /** Ends each connection without an answer. */
  isDown = false;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      if (this.isDown) return void request.socket.destroy();
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const answer = await this.#stamp(Buffer.concat(chunks));
        this.answered += 1;
        response.writeHead(200, { "content-type": "application/timestamp-reply" });
        response.end(this.change(answer));
      })();
    });
  }

  /** Makes its certificates in the folder, and serves. */
  static async start(folder: string): Promise<OpensslTsa> {
    mkdirSync(folder);
    for (const [file, text] of [
      ["tsa.cnf", CONFIG],
      ["serial", "01\n"],
      ["tsa.ext", EXTENSIONS],
    ] as const)
      writeFileSync(join(folder, file), text);
    const openssl = (...args: string[]) => run(OPENSSL, args, { cwd: folder });
    const authority = ["-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA"];
    await openssl("req", ...NEW_KEY, ...authority, "-days", "30");
    const own = ["-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=Test TSA"];
    await openssl("req", "-new", ...NEW_KEY, ...own);
    const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "tsa.ext"];
    await openssl("x509", "-req", "-in", "tsa.csr", ...signed, "-out", "tsa.pem", "-days", "30");
    const tsa = new OpensslTsa(folder);
    tsa.#server.listen(0, "127.0.0.1");
    await once(tsa.#server, "listening");
    return tsa;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/tsr`;
  }

  /** Rejects unless the response is a right one of this authority over the bytes. */
  async verify(response: Buffer, stamped: string): Promise<void> {
    const [answer, data] = [join(this.#folder, "given.tsr"), join(this.#folder, "given.txt")];
    writeFileSync(answer, response);
    writeFileSync(data, stamped);
    const given = ["-in", answer, "-data", data, "-CAfile", "ca.pem"];
    await run(OPENSSL, ["ts", "-verify", ...given], { cwd: this.#folder });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #stamp(query: Buffer): Promise<Buffer> {
    writeFileSync(join(this.#folder, "query.tsq"), query);
    const args = [
      "ts",
      "-reply",
      "-config",
      "tsa.cnf",
      "-section",
      "tsa",
      "-queryfile",
      "query.tsq",
    ];
    const options = { cwd: this.#folder, encoding: "buffer" } as const;
    return (await run(OPENSSL, args, options)).stdout;
  }
}
