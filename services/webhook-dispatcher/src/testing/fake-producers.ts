// The producers of this service's tests, in memory. Imported by tests only.

import { eventOf, type Kind } from "../webhooks/rules/kinds.ts";
import { type Entry, entryOf, eventEntry } from "../deliveries/rules/payload.ts";
import {
  type EventValues,
  type FieldPlace,
  keyOf,
  valuesOf,
} from "../webhooks/rules/webhook-filter.ts";
import type {
  CheckpointPositions,
  MeasuredEvent,
  Positions,
  ReadEvents,
} from "../outbound/producers.ts";

const wholeEvent = (event: object) => ({ action: "a", actor: {}, target: {}, ...event });

/** Texts and arrays of them alone: the ledger's test has the rest. */
function valuesIn(event: object, fields: readonly FieldPlace[]): EventValues {
  const found = fields.map((field) => {
    const at = (within: unknown, name: string) => (within as Record<string, unknown>)?.[name];
    const values = [field.path.reduce<unknown>(at, event) ?? []].flat();
    return [keyOf(field), values.map(String).toSorted()] as const;
  });
  return { ...valuesOf(JSON.stringify(event)), fields: new Map(found) };
}

/** The entries of accounts, in memory, as the ledger and the export service have them. */
export class FakeProducers {
  readonly rows = new Map<string, Entry[]>();
  /** How often entries were read. */
  reads = 0;
  /** The positions of each read of events. */
  readonly eventReads: (readonly bigint[])[] = [];
  /** The accounts of each read of the positions of checkpoints. */
  readonly checkpointReads: (readonly string[])[] = [];
  #served = 0n;
  /** Events up to this position are deleted by retention. */
  deletedThrough = 0n;
  /** Rejects where the ledger does not answer. */
  gate: () => Promise<void> = async () => {};

  add(accountId: string, kind: Kind, count = 1): bigint {
    const rows = this.#of(accountId, kind);
    for (let i = 0; i < count; i++) {
      const position = BigInt(rows.length + 1);
      rows.push(entryOf(position, eventOf(kind), `{"sequence_number":${position}}`));
    }
    return BigInt(rows.length);
  }

  /** Stores events with these members, and returns the position of the last one. */
  addEvents(accountId: string, ...events: readonly object[]): bigint {
    const rows = this.#of(accountId, "events");
    for (const event of events) {
      const position = BigInt(rows.length + 1);
      const whole = wholeEvent({ sequence_number: rows.length + 1, ...event });
      rows.push(entryOf(position, eventOf("events"), JSON.stringify(whole)));
    }
    return BigInt(rows.length);
  }

  async positions(accountIds: readonly string[]): Promise<Positions[]> {
    const last = (id: string, kind: Kind) => BigInt(this.#of(id, kind).length);
    return accountIds.map((id) => ({
      events: last(id, "events"),
      verifications: last(id, "verifications"),
      exports: last(id, "exports"),
      checkpoints: this.#of(id, "checkpoints").at(-1)?.position ?? 0n,
    }));
  }

  /** Closes an epoch in which some accounts grow, and serves it. */
  closeEpoch(...grown: readonly string[]): bigint {
    this.#served += 1n;
    for (const accountId of grown)
      this.#of(accountId, "checkpoints").push(
        entryOf(this.#served, eventOf("checkpoints"), `{"epoch":${this.#served}}`),
      );
    return this.#served;
  }

  async checkpoints(accountIds: readonly string[]): Promise<CheckpointPositions> {
    this.checkpointReads.push(accountIds);
    const positions = (await this.positions(accountIds)).map(({ checkpoints }) => checkpoints);
    return { served: this.#served, positions, isPartial: false };
  }

  async entries(kind: Kind, id: string, after: bigint, limit: number): Promise<Entry[]> {
    this.reads += 1;
    const rows = this.#of(id, kind);
    if (kind !== "events") return rows.filter(({ position }) => position > after).slice(0, limit);
    return rows
      .slice(Number(after), Number(after) + limit)
      .filter(({ position }) => position > this.deletedThrough);
  }

  async events(accountId: string, positions: readonly bigint[]): Promise<ReadEvents> {
    this.eventReads.push(positions);
    await this.gate();
    const rows = this.#of(accountId, "events").filter(({ position }) =>
      positions.includes(position),
    );
    return { events: rows.map(({ data = "", position }) => [position, data]), hasMore: false };
  }

  /** The fields of each read of values. */
  readonly fieldReads: (readonly FieldPlace[])[] = [];

  async fieldValues(
    accountId: string,
    after: bigint,
    limit: number,
    fields: readonly FieldPlace[],
  ): Promise<MeasuredEvent[]> {
    this.fieldReads.push(fields);
    return this.measure(accountId, after, limit, fields);
  }

  async measure(
    accountId: string,
    after: bigint,
    limit: number,
    fields?: readonly FieldPlace[],
  ): Promise<MeasuredEvent[]> {
    if (after < this.deletedThrough) return [];
    const rows = this.#of(accountId, "events").slice(Number(after), Number(after) + limit);
    return rows.map(({ bytes, data = "", position }) => ({
      ...eventEntry(position, bytes),
      ...(fields && { values: valuesIn(wholeEvent(JSON.parse(data)), fields) }),
    }));
  }

  async retainedFrom(_accountId: string, position: bigint): Promise<bigint | undefined> {
    return position <= this.deletedThrough ? this.deletedThrough + 1n : undefined;
  }

  #of(accountId: string, kind: Kind): Entry[] {
    const key = `${kind} ${accountId}`;
    const rows = this.rows.get(key) ?? [];
    this.rows.set(key, rows);
    return rows;
  }
}
