// Reads from the producers, the ledger and the export service: how far the entries of an account reach, and
// the entries after a position. Called by the create and update handlers, the fan-out and the sweep.

import { eventJson } from "@annals/event";
import { unavailable } from "@annals/errors";
import { NOTICE_KINDS, type NoticeKind } from "@annals/messaging";
import type { ExportsService } from "@annals/proto/exports";
import type { LedgerService } from "@annals/proto/ledger";
import type { OutboxEntry } from "@annals/proto/notices";
import type { CallOptions, Client } from "@connectrpc/connect";
import type { Entry } from "../domain/payload.ts";

export type Positions = Readonly<Record<NoticeKind, bigint>>;

/** Entries that one call may ask for: the limit of the ledger. */
export const MAX_ENTRIES = 100;

export interface ProducersOptions {
  readonly ledger: Pick<Client<typeof LedgerService>, "getPositions" | "listEvents" | "listOutbox">;
  /** Undefined where exports are not offered. */
  readonly exports:
    | Pick<Client<typeof ExportsService>, "getOutboxPositions" | "listOutbox">
    | undefined;
}

export class Producers {
  readonly #ledger: ProducersOptions["ledger"];
  readonly #exports: ProducersOptions["exports"];

  constructor(options: ProducersOptions) {
    this.#ledger = options.ledger;
    this.#exports = options.exports;
  }

  /**
   * How far the entries of these kinds reach, for each of at most 1,000 accounts, in order; 0 for other
   * kinds. Rejects when a producer that has one of the kinds does not answer.
   */
  async positions(
    accountIds: readonly string[],
    kinds: readonly NoticeKind[] = NOTICE_KINDS,
    options: Pick<CallOptions, "timeoutMs"> = {},
  ): Promise<Positions[]> {
    const request = { accountIds: [...accountIds] };
    const asksLedger = kinds.includes("events") || kinds.includes("verifications");
    const [ledger, exports] = await Promise.all([
      asksLedger ? this.#ledger.getPositions(request, options) : undefined,
      kinds.includes("exports") ? this.#exports?.getOutboxPositions(request, options) : undefined,
    ]);
    return accountIds.map((_, index) => ({
      events: ledger?.positions[index]?.headSequenceNumber ?? 0n,
      verifications: ledger?.positions[index]?.outbox ?? 0n,
      exports: exports?.positions[index] ?? 0n,
    }));
  }

  /** At most `limit` entries after a position, in order. */
  async entries(
    kind: NoticeKind,
    accountId: string,
    after: bigint,
    limit: number,
  ): Promise<Entry[]> {
    switch (kind) {
      case "events": {
        const filter = { afterSequence: after };
        const { events } = await this.#ledger.listEvents({
          accountId,
          filter,
          ascending: true,
          limit,
        });
        return events.map((event) => ({
          position: event.sequenceNumber,
          name: "event.created",
          data: eventJson(event),
        }));
      }
      case "verifications": {
        const request = { accountId, afterPosition: after, limit };
        return (await this.#ledger.listOutbox(request)).entries.map(entryOf);
      }
      case "exports": {
        if (!this.#exports) throw unavailable("The export service is not configured.");
        const request = { accountId, afterPosition: after, limit };
        return (await this.#exports.listOutbox(request)).entries.map(entryOf);
      }
    }
  }
}

function entryOf({ position, eventName, data }: OutboxEntry): Entry {
  return { position, name: eventName, data };
}
