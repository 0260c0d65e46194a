// Cancels a running statement at the server when a signal aborts: PostgreSQL's CancelRequest, on a connection
// of its own to the same server under the same TLS rules. Called by connection.ts. A request that is still
// in progress could cancel the statement of the connection's next user, so none may outlive `end`.

import { Socket } from "node:net";
import pg from "pg";

/** A statement that ends within this time needs no request, which would cost more. */
const GRACE_MS = 10;
/** A request that came before its statement has no effect: it is sent again. */
const REPEAT_MS = 50;
const TIMEOUT_MS = 3_000;

/** `closed`: the server has acted on it. `unknown`: it may still do so. */
type Outcome = "closed" | "not_sent" | "unknown";

export class Cancellation {
  readonly #client: pg.Client;
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<void>();
  #isEnded = false;
  #isClean = true;
  #requests: Promise<void> | undefined;

  constructor(client: pg.Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /**
   * To be called when the statement has ended. Resolves when no request is in progress, to whether another
   * statement may use the connection.
   */
  async end(): Promise<boolean> {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#isEnded = true;
    if (this.#requests === undefined) return true;
    this.#ended.resolve();
    await this.#requests;
    return this.#isClean;
  }

  readonly #onAbort = (): void => {
    this.#requests = this.#requestUntilEnd();
  };

  async #requestUntilEnd(): Promise<void> {
    for (let waitMs = GRACE_MS; await this.#stillRunning(waitMs); waitMs = REPEAT_MS) {
      const outcome = await requestCancel(this.#client);
      if (outcome !== "unknown") continue;
      this.#isClean = false;
      return;
    }
  }

  async #stillRunning(waitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)));
    await Promise.race([waited, this.#ended.promise]);
    clearTimeout(timer);
    return !this.#isEnded;
  }
}

/** What pg's types leave out. */
interface ClientConnection extends pg.Client {
  readonly processID: number;
  readonly secretKey: number;
  readonly sslNegotiation: "postgres" | "direct";
}
interface RawConnection extends pg.Connection {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/** Resolves once the server has closed the connection, which it does after it has sent the signal. */
function requestCancel(client: pg.Client): Promise<Outcome> {
  const { host, port, processID, secretKey, ssl, sslNegotiation } = client as ClientConnection;
  const { remoteAddress } = client.connection.stream as Socket;
  // After a failover the name may lead to another server.
  const stream = (): Socket => new SameServer(remoteAddress ?? host);
  const connection = new pg.Connection({ ssl, sslNegotiation, stream } as object) as RawConnection;
  return new Promise((resolve) => {
    let outcome: Outcome = "not_sent";
    const send = (): void => {
      outcome = "unknown";
      connection.cancel(processID, secretKey);
    };
    const finish = (final: Outcome): void => {
      clearTimeout(timer);
      resolve(final);
      connection.stream.destroy();
    };
    const timer = setTimeout(() => finish(outcome), TIMEOUT_MS);
    connection.on("error", () => finish(outcome));
    connection.on("end", () => finish(outcome === "unknown" ? "closed" : outcome));
    connection.on("sslconnect", send);
    connection.on("connect", () => {
      if (!ssl) send();
      else if (sslNegotiation !== "direct") connection.requestSsl();
    });
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}

/** Connects to the address that it was made with. The name that pg gives is for the certificate. */
class SameServer extends Socket {
  readonly #address: string;

  constructor(address: string) {
    super();
    this.#address = address;
  }

  override connect(...given: unknown[]): this {
    const [port] = given;
    return typeof port === "number"
      ? super.connect(port, this.#address)
      : super.connect(String(port));
  }
}
