// The example's own subscriber: an HTTPS server on this machine that takes what a webhook sends and
// checks the signature. Called by webhook.ts. The certificate is of an authority that is made for
// it alone and whose key is kept nowhere, so a client that trusts that authority trusts this server only.

import { CertificateAuthority } from "@annals/certificates";
import { createHmac, timingSafeEqual, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Payload {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly id?: string };
}

const HOST = "127.0.0.1";
/** A certificate that ends sooner is made anew: a run takes a minute at most. */
const MIN_VALID_MS = 10 * 60_000;

/** What the receiver shows, and the file by which the dispatcher knows it. */
export interface ReceiverFiles {
  /** PEM, for ANNALS_WEBHOOK_CA_FILE. */
  readonly caFile: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * The certificate in `folder`, the same one run after run, so that a stack that was started with
 * its authority knows it again; made where it is absent or about to end.
 */
export async function receiverFiles(folder: string): Promise<ReceiverFiles> {
  const [caFile, certFile, keyFile] = ["ca.pem", "receiver.pem", "receiver-key.pem"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  if (![caFile, certFile, keyFile].every((file) => existsSync(file)) || endsSoon(certFile)) {
    const authority = await CertificateAuthority.create("Annals example");
    const { cert, key } = await authority.issue([HOST]);
    mkdirSync(folder, { recursive: true });
    writeFileSync(caFile, authority.cert);
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
  }
  return { caFile, cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

function endsSoon(certFile: string): boolean {
  const { validTo } = new X509Certificate(readFileSync(certFile));
  return Date.parse(validTo) < Date.now() + MIN_VALID_MS;
}

/** Answers 204 to what is signed with the secret, 401 to everything else. */
export class Receiver {
  readonly #server: Server;
  readonly #arrived: Payload[] = [];
  readonly #secret = Promise.withResolvers<string>();
  #onArrival = (): void => {};

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#take(request, response));
  }

  /** Listens on a free port of the loopback interface. */
  static async start({ cert, key }: ReceiverFiles): Promise<Receiver> {
    const receiver = new Receiver(createServer({ cert, key }));
    await new Promise<void>((listening) => {
      receiver.#server.listen(0, HOST, listening);
    });
    return receiver;
  }

  get url(): string {
    return `https://${HOST}:${(this.#server.address() as AddressInfo).port}/annals`;
  }

  /** The webhook's, as the answer that made it showed it; what comes before waits for it. */
  set secret(secret: string) {
    this.#secret.resolve(secret);
  }

  /** Resolves to the first signed payload that `isIt`, or to undefined after `timeoutMs`. */
  async waitFor(
    isIt: (payload: Payload) => boolean,
    timeoutMs: number,
  ): Promise<Payload | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), timeoutMs);
      this.#onArrival = () => {
        const found = this.#arrived.find(isIt);
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(found);
      };
      this.#onArrival();
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      if (!isSigned(body, request.headers["x-service-signature"], await this.#secret.promise)) {
        response.writeHead(401).end();
        return;
      }
      this.#arrived.push(JSON.parse(body.toString("utf8")) as Payload);
      response.writeHead(204).end();
      this.#onArrival();
    } catch {
      // A connection that broke off: the delivery is attempted again.
      response.destroy();
    }
  }
}

function isSigned(body: Buffer, given: string | string[] | undefined, secret: string): boolean {
  const wanted = createHmac("sha256", secret).update(body).digest();
  const bytes = Buffer.from(typeof given === "string" ? given : "", "hex");
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}
