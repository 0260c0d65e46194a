// The producers of this service's tests, in memory. Imported by tests only.

import type { NoticeKind } from "@annals/messaging";
import { eventOf } from "../domain/kinds.ts";
import { type Entry, entryOf, eventEntry } from "../domain/payload.ts";
import type { Positions, ReadEvents } from "../outbound/producers.ts";

/** The entries of accounts, in memory, as the ledger and the export service have them. */
export class FakeProducers {
  readonly rows = new Map<string, Entry[]>();
  /** How often entries were read. */
  reads = 0;
  /** The positions of each read of events. */
  readonly eventReads: (readonly bigint[])[] = [];
  /** Rejects where the ledger does not answer. */
  gate: () => Promise<void> = async () => {};

  add(accountId: string, kind: NoticeKind, count = 1): bigint {
    const rows = this.#of(accountId, kind);
    for (let i = 0; i < count; i++) {
      const position = BigInt(rows.length + 1);
      rows.push(entryOf(position, eventOf(kind), `{"sequence_number":${position}}`));
    }
    return BigInt(rows.length);
  }

  async positions(accountIds: readonly string[]): Promise<Positions[]> {
    const last = (id: string, kind: NoticeKind) => BigInt(this.#of(id, kind).length);
    return accountIds.map((id) => ({
      events: last(id, "events"),
      verifications: last(id, "verifications"),
      exports: last(id, "exports"),
    }));
  }

  async entries(kind: NoticeKind, id: string, after: bigint, limit: number): Promise<Entry[]> {
    this.reads += 1;
    return this.#of(id, kind).slice(Number(after), Number(after) + limit);
  }

  async events(accountId: string, positions: readonly bigint[]): Promise<ReadEvents> {
    this.eventReads.push(positions);
    await this.gate();
    const rows = this.#of(accountId, "events").filter(({ position }) =>
      positions.includes(position),
    );
    return { events: rows.map(({ data = "", position }) => [position, data]), hasMore: false };
  }

  async measure(accountId: string, after: bigint, limit: number): Promise<Entry[]> {
    const rows = this.#of(accountId, "events").slice(Number(after), Number(after) + limit);
    return rows.map(({ bytes, position }) => eventEntry(position, bytes));
  }

  #of(accountId: string, kind: NoticeKind): Entry[] {
    const key = `${kind} ${accountId}`;
    const rows = this.rows.get(key) ?? [];
    this.rows.set(key, rows);
    return rows;
  }
}
