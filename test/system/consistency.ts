// Compares what clients were answered with what is there: the tables, read without any code of the product,
// the list and the verification that the interface serves. Called by every test of this folder at its end,
// and by consistency.test.ts with answers that are wrong. What it cannot read is a fault.

import type { HttpClient, TestDatabase } from "@annals/testing";
import { chainFaults } from "./chain-faults.ts";
import { isAcknowledged, LATE, type SentAppend } from "./load.ts";

/** One event as it lies in the tables. */
export interface ChainEvent {
  readonly sequence: number;
  readonly id: string;
  readonly hash: string;
  readonly previousHash: string;
  /** Of its metadata; undefined where it has none. */
  readonly marker: string | undefined;
}

export interface Audited {
  readonly accountId: string;
  readonly owner: Pick<TestDatabase, "query">;
  /** A client of the account, for what the interface serves. */
  readonly http: Pick<HttpClient, "get">;
  /** Events up to this number are left out of the list: an audit before has listed them. */
  readonly listedTo?: number;
}

/** Of each kind of fault so many examples are named; all are counted. */
const EXAMPLES = 3;
const PAGE = 100;

/**
 * Sentences that say what is wrong; none when every promise was kept: each acknowledged event is there once
 * with the id, number and hash of its answer, what was not acknowledged is wholly there once or not at all,
 * nothing is there that was not sent, every refusal has the error shape, the chain has no gap and no fork
 * and verifies, and the list shows what the tables hold.
 */
export async function audit(
  audited: Audited,
  appends: readonly SentAppend[],
): Promise<readonly string[]> {
  const chain = await readChain(audited);
  return [
    ...appendFaults(appends, chain),
    ...(await chainFaults(audited.owner, audited.accountId, chain.length)),
    ...(await verificationFaults(audited, chain.length)),
    ...(await listFaults(audited, chain)),
  ];
}

/** All events of an account in the order of their numbers. */
export async function readChain({
  owner,
  accountId,
}: Pick<Audited, "owner" | "accountId">): Promise<ChainEvent[]> {
  const rows = await owner.query<{
    sequence_number: string;
    id: string;
    hash: string;
    previous_hash: string;
    metadata: string;
  }>(
    `SELECT sequence_number, id, encode(hash, 'hex') AS hash, encode(previous_hash, 'hex') AS previous_hash, metadata
     FROM ledger.events WHERE account_id = $1 ORDER BY sequence_number`,
    [accountId],
  );
  return rows.map((row) => ({
    sequence: Number(row.sequence_number),
    id: row.id,
    hash: row.hash,
    previousHash: row.previous_hash,
    marker: JSON.parse(row.metadata).marker,
  }));
}

/** What the answers say against what the chain holds. */
export function appendFaults(
  appends: readonly SentAppend[],
  chain: readonly ChainEvent[],
): string[] {
  const faults = new Faults();
  const there = Map.groupBy(chain, ({ marker }) => marker);
  const sent = new Set<string | undefined>();
  for (const append of appends) {
    const { marker, outcomes } = append;
    sent.add(marker);
    const events = there.get(marker) ?? [];
    if (events.length > 1) faults.add("stored more than once", marker);
    if (isAcknowledged(append) && events.length === 0) faults.add("acknowledged and lost", marker);
    if (outcomes.length === 0) faults.add("never sent", marker);
    for (const { stored, refused, unanswered } of outcomes) {
      if (stored && events[0] && !isSame(events[0], stored)) {
        faults.add("acknowledged with another id, number or hash than stored", marker);
      }
      if (stored?.isReplay && append.idempotencyKey === undefined) {
        faults.add("a replay of what has no idempotency key", marker);
      }
      const fault = refused && refusalFault(refused);
      if (fault !== undefined) faults.add(fault, marker);
      if (unanswered === LATE) faults.add(LATE, marker);
    }
  }
  for (const { marker, sequence } of chain) {
    if (!sent.has(marker)) faults.add("stored and never sent", `number ${sequence}`);
  }
  return faults.sentences();
}

/** While a part is away there is one refusal: 500 with `server_error` and Retry-After. */
function refusalFault({
  status,
  headers,
  body,
}: NonNullable<SentAppend["outcomes"][number]["refused"]>): string | undefined {
  const message = body?.error?.message;
  const isShaped =
    Object.keys(body ?? {}).join() === "error" &&
    Object.keys(body.error).join() === "type,message" &&
    body.error.type === "server_error" &&
    typeof message === "string";
  if (status !== 500 || !isShaped) return `refused with ${status} and ${JSON.stringify(body)}`;
  if (!(Number(headers["retry-after"]) > 0)) return `refused without Retry-After: ${message}`;
  return undefined;
}

async function verificationFaults({ http }: Audited, events: number): Promise<string[]> {
  const { status, body } = await http.get("/v1/verify");
  const { valid, checked } = body?.data ?? {};
  if (status === 200 && valid === true && checked === events) return [];
  return [`GET /v1/verify of ${events} events: ${status} ${JSON.stringify(body)}`];
}

/** The list in ascending order, page by page, shows each event of the tables as it is. */
async function listFaults(
  { http, listedTo = 0 }: Audited,
  whole: readonly ChainEvent[],
): Promise<string[]> {
  const faults = new Faults();
  const chain = whole.filter(({ sequence }) => sequence > listedTo);
  for (let from = 0; from < chain.length; from += PAGE) {
    const after = chain[from - 1]?.sequence ?? listedTo;
    const page = await http.get(`/v1/events?order=asc&limit=${PAGE}&after_sequence=${after}`);
    const listed = (page.body?.data ?? []) as Record<string, unknown>[];
    for (const [at, event] of chain.slice(from, from + PAGE).entries()) {
      const { id, sequence_number, hash, previous_hash, metadata } = listed[at] ?? {};
      const isListed =
        isSame(event, { id, sequence: sequence_number, hash, previousHash: previous_hash }) &&
        (metadata as { marker?: string } | undefined)?.marker === event.marker;
      if (!isListed) faults.add("not listed as stored", `number ${event.sequence}`);
    }
  }
  return faults.sentences();
}

type Identity = Record<"id" | "sequence" | "hash" | "previousHash", unknown>;

const isSame = (one: Identity, other: Identity): boolean =>
  one.id === other.id &&
  one.sequence === other.sequence &&
  one.hash === other.hash &&
  one.previousHash === other.previousHash;

/** Faults by kind, so that a run that lost ten thousand events says so in a line. */
class Faults {
  readonly #found = new Map<string, string[]>();

  add(kind: string, which: string): void {
    const found = this.#found.get(kind);
    if (found === undefined) this.#found.set(kind, [which]);
    else found.push(which);
  }

  sentences(): string[] {
    return [...this.#found].map(
      ([kind, all]) => `${kind}: ${all.length}, such as ${all.slice(0, EXAMPLES).join(", ")}`,
    );
  }
}
