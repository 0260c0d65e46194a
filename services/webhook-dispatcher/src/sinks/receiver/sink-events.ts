// Reads the events that a sink is to send, in order, up to a bound. Called by worker/sink-run.ts. A sink
// with a filter gets the records of erasures, holds and retention, too: its receiver must know what was
// erased. It must never leave an event out that the filter selects.

import { internal } from "@annals/errors";
import { type EventFilterSchema, type LedgerService, RecordFormat } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { eventRecord, type RecordOptions, type SinkRecord } from "../rules/sink-record.ts";
import {
  type FilterValues,
  isEmptied,
  namedFields,
  type WebhookFilter,
} from "../../webhooks/rules/webhook-filter.ts";

export type SinkLedger = Pick<Client<typeof LedgerService>, "streamEvents">;

export interface SinkSelection extends RecordOptions {
  /** Null: all events. */
  readonly filter: WebhookFilter | null;
  readonly leaveOut: readonly string[];
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly to: number;
}

/** Some records in their order. Every selected event up to `reached` is in it or in an earlier page. */
export interface SinkPage {
  readonly records: readonly SinkRecord[];
  readonly reached: number;
}

/** Actions of the records that every sink gets. */
const LIFECYCLE_ACTIONS = ["annals.clock", "annals.erasure", "annals.hold", "annals.retention"];
/** Maximum of them that are read ahead. With more, the selection ends at the last of these. */
const MAX_LIFECYCLE = 1_000;

/** Deadline of the stream: far more than a turn takes. */
const STREAM_TIMEOUT_MS = 120_000;

export async function* sinkEvents(
  ledger: SinkLedger,
  selection: SinkSelection,
  signal: AbortSignal,
): AsyncGenerator<SinkPage> {
  const { filter } = selection;
  if (filter === null) return yield* pages(ledger, selection, {}, signal);
  const own = await lifecycleRecords(ledger, selection, signal);
  const to = own.length < MAX_LIFECYCLE ? selection.to : (own.at(-1)?.sequenceNumber ?? 0);
  const upTo = (reached: number): SinkRecord[] => {
    const end = own.findIndex(({ sequenceNumber = 0 }) => sequenceNumber > reached);
    return own.splice(0, end < 0 ? own.length : end);
  };
  for await (const page of selected(ledger, { ...selection, to }, filter, signal)) {
    yield { ...page, records: inOrder([...page.records, ...upTo(page.reached)]) };
  }
}

/** Some of them may be selected by the filter, too. */
function inOrder(records: readonly SinkRecord[]): SinkRecord[] {
  const byNumber = new Map(records.map((record) => [record.sequenceNumber ?? 0, record]));
  return [...byNumber].sort(([a], [b]) => a - b).map(([, record]) => record);
}

async function lifecycleRecords(
  ledger: SinkLedger,
  selection: SinkSelection,
  signal: AbortSignal,
): Promise<SinkRecord[]> {
  const found: SinkRecord[] = [];
  const filter = { actions: LIFECYCLE_ACTIONS };
  for await (const { records } of pages(ledger, selection, filter, signal)) {
    found.push(...records);
    if (found.length >= MAX_LIFECYCLE) break;
  }
  return found.slice(0, MAX_LIFECYCLE);
}

/** A member without values, which an erasure leaves, matches no event. */
async function* selected(
  ledger: SinkLedger,
  selection: SinkSelection,
  filter: WebhookFilter,
  signal: AbortSignal,
): AsyncGenerator<SinkPage> {
  if (isEmptied(filter)) {
    yield { records: [], reached: selection.to };
    return;
  }
  yield* pages(ledger, selection, ledgerFilter(filter), signal);
}

type LedgerFilter = MessageInitShape<typeof EventFilterSchema>;

function ledgerFilter({ not, ...own }: WebhookFilter): LedgerFilter {
  return { ...ledgerValues(own), ...(not && { not: ledgerValues(not) }) };
}

const OUTCOME = { name: "outcome", path: ["metadata", "outcome"], type: "string" };

function ledgerValues(values: FilterValues) {
  const { action = [], actor_id, actor_type, outcome, target_id, target_type } = values;
  const fields = namedFields(values);
  const isPrefix = (value: string): boolean => value.endsWith("*");
  return {
    actions: action.filter((value) => !isPrefix(value)),
    actionPrefixes: action.filter(isPrefix).map((value) => value.slice(0, -1)),
    actorIds: [...(actor_id ?? [])],
    actorTypes: [...(actor_type ?? [])],
    targetIds: [...(target_id ?? [])],
    targetTypes: [...(target_type ?? [])],
    fields: [...(outcome ? [{ ...OUTCOME, values: [...outcome] }] : []), ...fields],
  };
}

async function* pages(
  ledger: SinkLedger,
  { chain, leaveOut, after, to, ...options }: SinkSelection,
  filter: LedgerFilter,
  signal: AbortSignal,
): AsyncGenerator<SinkPage> {
  const request = {
    accountId: chain,
    filter: { ...filter, afterSequence: BigInt(after), beforeSequence: BigInt(to + 1) },
    includeProof: options.includeProof,
    format: RecordFormat.JSONL,
    leaveOut: [...leaveOut],
  };
  for await (const page of ledger.streamEvents(request, { signal, timeoutMs: STREAM_TIMEOUT_MS })) {
    if (page.count === 0) yield { records: [], reached: Number(page.reached) };
    else {
      const lines = Buffer.from(page.text).toString().split("\n").slice(0, -1);
      const records = lines.map((line) => eventRecord(line, { ...options, chain }));
      const reached = records.at(-1)?.sequenceNumber;
      if (reached === undefined)
        throw internal("the ledger responded without the requested events");
      yield { records, reached };
    }
  }
  yield { records: [], reached: to };
}
