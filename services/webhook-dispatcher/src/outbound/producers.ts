// Reads from the producers, the ledger and the export service: how far the entries of an account reach, the
// entries after a position, events by their positions, and how large they are. Called by the handlers, the
// fan-out, the sweep and the event reader. Each account may have a few reads at a time, and the accounts take
// turns.

import { Slots } from "@annals/contract";
import { eventJson } from "@annals/event";
import { type AnnalsError, invalid, unavailable } from "@annals/errors";
import type { ExportsService } from "@annals/proto/exports";
import type {
  EventValues as Values,
  GetCheckpointPositionsResponse,
  LedgerService,
} from "@annals/proto/ledger";
import type { OutboxEntry } from "@annals/proto/notices";
import type { CallOptions, Client } from "@connectrpc/connect";
import { type Entry, entryOf, eventEntry } from "../deliveries/rules/payload.ts";
import { eventOf, type Kind } from "../webhooks/rules/kinds.ts";
import { type EventValues, type FieldPlace, keyOf } from "../webhooks/rules/webhook-filter.ts";

export type Positions = Readonly<Record<Kind, bigint>>;

/** Maximum entries of one call. */
export const MAX_ENTRIES = 100;

/** Maximum checkpoints of one call: each may take a signature. */
const MAX_CHECKPOINTS = 20;

/** Maximum fields whose values one call asks for. */
const MAX_FIELDS = 16;

/** Maximum pages with values of fields, each of a mebibyte of parts, for one measurement. */
const MAX_FIELD_PAGES = 32;

/** Maximum reads of entries and events in flight in this process. */
const SLOTS = { total: 16, perAccount: 2 };
/** Timeout of a read, and of the wait for its slot. */
const READ_TIMEOUT_MS = 5_000;

/** Events with their JSON, in order. */
export interface ReadEvents {
  readonly events: readonly (readonly [position: bigint, json: string])[];
  /** Whether events after the last one were left out because of their size. */
  readonly hasMore: boolean;
}

/** An event without its content. */
export interface MeasuredEvent extends Entry {
  readonly values?: EventValues;
}

/** How far the checkpoints of some accounts reach, as the ledger answers. */
export type CheckpointPositions = Pick<
  GetCheckpointPositionsResponse,
  "isPartial" | "positions" | "served"
>;

export interface ProducersOptions {
  readonly ledger: Pick<
    Client<typeof LedgerService>,
    | "getCheckpointPositions"
    | "getPositions"
    | "listCheckpoints"
    | "listOutbox"
    | "measureEvents"
    | "readEvents"
  >;
  /** Undefined if exports are not offered. */
  readonly exports:
    | Pick<Client<typeof ExportsService>, "getOutboxPositions" | "listOutbox">
    | undefined;
}

export class Producers {
  readonly #ledger: ProducersOptions["ledger"];
  readonly #exports: ProducersOptions["exports"];
  readonly #slots = new Slots(SLOTS);

  constructor(options: ProducersOptions) {
    this.#ledger = options.ledger;
    this.#exports = options.exports;
  }

  /**
   * Reads how far the entries of these kinds reach, for each of at most 1,000 accounts, in order; 0 for other
   * kinds. Rejects if a producer of one of the kinds does not respond.
   */
  async positions(
    accountIds: readonly string[],
    kinds: readonly Kind[],
    options: Pick<CallOptions, "timeoutMs"> = {},
  ): Promise<Positions[]> {
    const request = { accountIds: [...accountIds] };
    const asksLedger = kinds.includes("events") || kinds.includes("verifications");
    const [ledger, exports, checkpoints] = await Promise.all([
      asksLedger ? this.#ledger.getPositions(request, options) : undefined,
      kinds.includes("exports") ? this.#exports?.getOutboxPositions(request, options) : undefined,
      kinds.includes("checkpoints") ? this.checkpoints(accountIds, options) : undefined,
    ]);
    return accountIds.map((_, index) => ({
      events: ledger?.positions[index]?.headSequenceNumber ?? 0n,
      verifications: ledger?.positions[index]?.outbox ?? 0n,
      exports: exports?.positions[index] ?? 0n,
      checkpoints: checkpoints?.positions[index] ?? 0n,
    }));
  }

  /** Reads which epoch of the log is served, and how far the checkpoints of at most 1,000 accounts reach. */
  checkpoints(
    accountIds: readonly string[],
    options: Pick<CallOptions, "signal" | "timeoutMs"> = {},
  ): Promise<CheckpointPositions> {
    return this.#ledger.getCheckpointPositions({ accountIds: [...accountIds] }, options);
  }

  /** Reads at most `limit` entries after a position, in order. */
  async entries(kind: Kind, accountId: string, after: bigint, limit: number): Promise<Entry[]> {
    switch (kind) {
      case "events": {
        const positions = Array.from({ length: limit }, (_, index) => after + BigInt(index + 1));
        const { events } = await this.events(accountId, positions);
        return events.map(([position, json]) => entryOf(position, eventOf(kind), json));
      }
      case "verifications": {
        const request = { accountId, afterPosition: after, limit };
        const ask = () => this.#ledger.listOutbox(request, { timeoutMs: READ_TIMEOUT_MS });
        return (await this.#inTurn(accountId, ask)).entries.map(outboxEntry);
      }
      case "checkpoints": {
        const request = {
          accountId,
          afterPosition: after,
          limit: Math.min(limit, MAX_CHECKPOINTS),
        };
        const ask = () => this.#ledger.listCheckpoints(request, { timeoutMs: READ_TIMEOUT_MS });
        const { checkpoints } = await this.#inTurn(accountId, ask);
        return checkpoints.map(({ data, position }) => entryOf(position, eventOf(kind), data));
      }
      case "exports": {
        const exports = this.#exports;
        if (!exports) throw unavailable("The export service is not configured.");
        const request = { accountId, afterPosition: after, limit };
        const ask = () => exports.listOutbox(request, { timeoutMs: READ_TIMEOUT_MS });
        return (await this.#inTurn(accountId, ask)).entries.map(outboxEntry);
      }
    }
  }

  /** Reads at most 1,000 events by their positions, ascending. Those that the chain lacks are left out. */
  async events(accountId: string, positions: readonly bigint[]): Promise<ReadEvents> {
    const request = { accountId, sequenceNumbers: [...positions] };
    const ask = () => this.#ledger.readEvents(request, { timeoutMs: READ_TIMEOUT_MS });
    const { events, hasMore } = await this.#inTurn(accountId, ask);
    return { events: events.map((one) => [one.sequenceNumber, eventJson(one)]), hasMore };
  }

  /**
   * Measures at most `limit` events after a position, in order, without reading their content. With
   * `fields`, which may be none, they have what filters read of them. Throws `invalid` for events that are
   * too large for that.
   */
  async measure(
    accountId: string,
    after: bigint,
    limit: number,
    fields?: readonly FieldPlace[],
  ): Promise<MeasuredEvent[]> {
    if (!fields || fields.length === 0) return this.#measured(accountId, after, limit, fields);
    const all: MeasuredEvent[] = [];
    for (let pages = 0; all.length < limit; pages += 1) {
      const from = after + BigInt(all.length);
      if (pages === MAX_FIELD_PAGES) throw tooLarge(from);
      const size = Math.min(MAX_ENTRIES, limit - all.length);
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before has ended
      const page = await this.fieldValues(accountId, from, size, fields);
      if (page.length === 0) break;
      all.push(...page);
    }
    return all;
  }

  /** The same with fields, as far as the parts of the events fit into one page. */
  async fieldValues(
    accountId: string,
    after: bigint,
    limit: number,
    fields: readonly FieldPlace[],
  ): Promise<MeasuredEvent[]> {
    let found: MeasuredEvent[] | undefined;
    for (let at = 0; at < fields.length; at += MAX_FIELDS) {
      const some = fields.slice(at, at + MAX_FIELDS);
      // oxlint-disable-next-line no-await-in-loop -- an account has few reads at a time
      const events = await this.#measured(accountId, after, found?.length ?? limit, some);
      found = found ? together(found, events) : events;
    }
    return found ?? [];
  }

  async #measured(
    accountId: string,
    after: bigint,
    limit: number,
    asked: readonly FieldPlace[] | undefined,
  ): Promise<MeasuredEvent[]> {
    if (limit === 0) return [];
    const fields = (asked ?? []).map((field) => ({
      path: [...field.path],
      type: field.type,
      ignoreCase: field.ignore_case,
    }));
    const includeValues = asked !== undefined;
    const request = { accountId, afterSequence: after, limit, includeValues, fields };
    const ask = () => this.#ledger.measureEvents(request, { timeoutMs: READ_TIMEOUT_MS });
    const { bytes, values } = await this.#inTurn(accountId, ask);
    return bytes.map((one, index) => {
      const of = values[index];
      const entry = eventEntry(after + BigInt(index + 1), one);
      return of ? { ...entry, values: valuesIn(of, asked ?? []) } : entry;
    });
  }

  /** The first event that retention has left, if it has deleted the one at a position. */
  async retainedFrom(accountId: string, position: bigint): Promise<bigint | undefined> {
    const request = { accountId, afterSequence: position - 1n, limit: 1 };
    const ask = () => this.#ledger.measureEvents(request, { timeoutMs: READ_TIMEOUT_MS });
    return (await this.#inTurn(accountId, ask)).retainedFrom;
  }

  #inTurn<T>(accountId: string, ask: () => Promise<T>): Promise<T> {
    const refusal = () => unavailable("The service is overloaded. Try again.");
    return this.#slots.runWithin(accountId, READ_TIMEOUT_MS, refusal, ask);
  }
}

function tooLarge(reached: bigint): AnnalsError {
  const message = `must be at most ${reached}: the filter reads fields of events that are large`;
  return invalid({ field: "to_sequence_number", message });
}

/** The same events with the values of both. */
function together(
  some: readonly MeasuredEvent[],
  others: readonly MeasuredEvent[],
): MeasuredEvent[] {
  return others.map((event, index) => {
    const fields = [...(some[index]?.values?.fields ?? []), ...(event.values?.fields ?? [])];
    return { ...event, values: { ...event.values, fields: new Map(fields) } };
  });
}

function valuesIn(
  { action, actorId, actorType, fields, targetId, targetType }: Values,
  asked: readonly FieldPlace[],
): EventValues {
  const keys = fields.flatMap((found, index) => {
    const field = asked[index];
    return field ? [[keyOf(field), found.keys] as const] : [];
  });
  return {
    fields: new Map(keys),
    action,
    ...(actorId !== undefined && { actor_id: actorId }),
    ...(actorType !== undefined && { actor_type: actorType }),
    ...(targetId !== undefined && { target_id: targetId }),
    ...(targetType !== undefined && { target_type: targetType }),
  };
}

function outboxEntry({ position, eventName, data }: OutboxEntry): Entry {
  return entryOf(position, eventName, data);
}
