// The example's webhook, for as long as a run takes: made, waited for, deleted. Called by main.ts.
// A stack delivers to public addresses only unless its operator allows more; then there is no
// webhook, and the example says how to see one.

import { type Client, Refused } from "./client.ts";
import { type Payload, Receiver, receiverFiles } from "./receiver.ts";

/** Names that come in every run, also in one that adds no event. */
const EVENTS = ["event.verified", "export.completed"];

/** How long a payload may take: the sweep of a stack without NATS, and an attempt. */
const ARRIVAL_MS = 15_000;

const UNPROCESSABLE = 422;

export interface WebhookPlace {
  /** Of the service; the receiver is offered to one on this machine only. */
  readonly baseUrl: string;
  /** Where the certificates are kept. */
  readonly folder: string;
}

/** What to start the stack with, as a command. */
export async function howToAllow(folder: string): Promise<string> {
  const { caFile } = await receiverFiles(folder);
  return `ANNALS_WEBHOOK_DANGEROUS_ALLOW_PRIVATE_ADDRESSES=true ANNALS_WEBHOOK_CA_FILE=${caFile} npm start`;
}

export class Webhook {
  readonly #client: Client;
  readonly #receiver: Receiver;
  readonly #id: string;

  private constructor(client: Client, receiver: Receiver, id: string) {
    this.#client = client;
    this.#receiver = receiver;
    this.#id = id;
  }

  /** Resolves to undefined where the service does not deliver to this machine. */
  static async open(client: Client, place: WebhookPlace): Promise<Webhook | undefined> {
    if (!["127.0.0.1", "localhost", "[::1]"].includes(new URL(place.baseUrl).hostname)) return;
    const receiver = await Receiver.start(await receiverFiles(place.folder));
    try {
      const asked = JSON.stringify({ url: receiver.url, events: EVENTS });
      const created = await client.create<{ data: { id: string; secret: string } }>(
        "/v1/webhooks",
        asked,
      );
      const { id, secret } = created.body.data;
      receiver.secret = secret;
      return new Webhook(client, receiver, id);
    } catch (error) {
      receiver.close();
      if (error instanceof Refused && error.status === UNPROCESSABLE) return undefined;
      throw error;
    }
  }

  /** The payload of that name, for the object with that id where it has one, once it arrives. */
  arrival(event: string, id?: string): Promise<Payload | undefined> {
    const isIt = (payload: Payload) =>
      payload.event === event && (id === undefined || payload.data.id === id);
    return this.#receiver.waitFor(isIt, ARRIVAL_MS);
  }

  async close(): Promise<void> {
    try {
      await this.#client.delete(`/v1/webhooks/${this.#id}`);
    } finally {
      this.#receiver.close();
    }
  }
}
