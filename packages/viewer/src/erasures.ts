// Which records of the chain say what was erased of an event. Made by the element for each feed. It asks once
// for an event with erased parts when its details open, and then for no more pages than it needs: records
// never change. It must never fail the details: without an answer they say only that a part is erased.

import { type Part, recordedParts } from "@annals/proof";
import type { ProvenEvent, WidgetClient } from "./client.ts";
import { checkOne } from "./proof/check.ts";

/** The record that names a part of an event. */
export interface Recorded {
  readonly sequenceNumber: number;
  /** ISO 8601. */
  readonly time: string;
}

/** Pages that are read for one event. An erasure has a record for each 250 of its events. */
const MAX_PAGES = 10;
const PAGE_RECORDS = 100;
/** Events whose records are kept. */
const MAX_KEPT = 1_000;

type Records = Partial<Record<Part, Recorded>>;

export class ErasureRecords {
  readonly #client: Pick<WidgetClient, "list">;
  readonly #onChange: () => void;
  readonly #known = new Map<number, Records>();

  constructor(client: Pick<WidgetClient, "list">, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Undefined if it is not known, or not known yet. */
  of({ sequence_number: number }: ProvenEvent, part: Part): Recorded | undefined {
    return this.#known.get(number)?.[part];
  }

  ask(event: ProvenEvent): void {
    const { erased, sequence_number: number } = event;
    if (!Array.isArray(erased) || erased.length === 0 || this.#known.has(number)) return;
    const [oldest] = this.#known.size >= MAX_KEPT ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    const found: Records = {};
    this.#known.set(number, found);
    this.#find(event, new Set(erased), found).then(this.#onChange, () => {
      this.#known.delete(number);
    });
  }

  async #find({ sequence_number: number }: ProvenEvent, sought: Set<string>, found: Records) {
    const query = {
      action: "annals.erasure",
      after_sequence: number,
      limit: PAGE_RECORDS,
      order: "asc",
    } as const;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { events, next } = await this.#client.list({ ...query, cursor });
      for (const record of events) {
        const parts = recordedParts(record, number).filter((part) => sought.has(part));
        // A record that is not what the chain has hashed says nothing.
        if (parts.length === 0 || (await checkOne(record)).state === "differs") continue;
        for (const part of parts) {
          sought.delete(part);
          found[part] = { sequenceNumber: record.sequence_number, time: record.created_at };
        }
      }
      if (sought.size === 0 || next === undefined) return;
      cursor = next;
    }
  }
}
