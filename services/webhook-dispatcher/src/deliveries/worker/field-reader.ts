// Reads the values of declared fields that the filters of an account's webhooks ask for. Called by the
// fan-out before it reads a page of events: so no event is older than its values. An account whose filters
// name no field costs nothing. Which fields they name is known once a transaction has locked the webhooks:
// the first page after a change is begun again with them.

import type { Producers } from "../../outbound/producers.ts";
import { type FieldPlace, keyOf } from "../../webhooks/rules/webhook-filter.ts";
import { FieldsNeeded } from "../rules/fields-needed.ts";
import { type FieldValues, fieldsOf, type Subscriber } from "../rules/plan-fan-out.ts";

/** Accounts whose fields are remembered. Of others, each page is begun twice. */
const MAX_ACCOUNTS = 10_000;

/** Values of some events after a position. */
export interface ReadFields {
  readonly keys: ReadonlySet<string>;
  readonly values: FieldValues;
}

export const NO_FIELDS: ReadFields = { keys: new Set(), values: new Map() };

export class FieldReader {
  readonly #producers: Pick<Producers, "fieldValues">;
  readonly #fields = new Map<string, readonly FieldPlace[]>();

  constructor(producers: Pick<Producers, "fieldValues">) {
    this.#producers = producers;
  }

  /** Reads those of at most `limit` events: fewer if their parts are large. */
  async read(accountId: string, after: bigint, limit: number): Promise<ReadFields> {
    const fields = this.#fields.get(accountId);
    if (!fields) return NO_FIELDS;
    const events = await this.#producers.fieldValues(accountId, after, limit, fields);
    const values = events.map(
      ({ position, values: of }) => [position, of?.fields ?? new Map()] as const,
    );
    return { keys: new Set(fields.map(keyOf)), values: new Map(values) };
  }

  /** Remembers what the filters ask for. Throws {@link FieldsNeeded} if not all of it was read. */
  check(accountId: string, subscribers: readonly Subscriber[], { keys }: ReadFields): void {
    const needed = fieldsOf(subscribers);
    this.#fields.delete(accountId);
    if (needed.length === 0) return;
    const [oldest] = this.#fields.keys();
    if (oldest !== undefined && this.#fields.size >= MAX_ACCOUNTS) this.#fields.delete(oldest);
    this.#fields.set(accountId, needed);
    if (!needed.every((field) => keys.has(keyOf(field)))) throw new FieldsNeeded(needed);
  }
}
