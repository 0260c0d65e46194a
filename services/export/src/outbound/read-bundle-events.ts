// Reads the events of a bundle of evidence: those that match its filter, and every event of the service
// itself, whose actions begin with `annals.`: they record what was erased. Behind the range it reads them up
// to the newest record of an erasure. Called by write-bundle.ts.

import { AUDIT_ACTION_PREFIX } from "@annals/contract";
import { type EventFilter, EventFilterSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { type EventPage, type EventSelection, readEvents } from "./read-events.ts";

type Ledger = Parameters<typeof readEvents>[0];
type Records = Pick<EventPage, "count" | "hasErased" | "text">;
type Selection = Omit<EventSelection, "format" | "includeProof">;

interface Line extends Pick<Records, "hasErased"> {
  readonly sequence: bigint;
  readonly text: Uint8Array;
}

const LINE_FEED = 0x0a;
/** How a line with a proof begins (event-json.ts in libs/event). */
const BEGINNING = /^\{"event":\{"id":"\w+","sequence_number":(\d+),/;
const BEGINNING_BYTES = 200;

export async function* readBundleEvents(
  ledger: Ledger,
  { accountId, filter }: Selection,
  signal: AbortSignal,
): AsyncGenerator<Records> {
  const read = (some: EventFilter) => readWithProofs(ledger, { accountId, filter: some }, signal);
  const own = isRange(filter) ? undefined : await begun(read(ofTheService(filter)));
  if (own === undefined) yield* read(filter);
  else yield* merged(linesOf(read(filter)), linesOf(own));
}

/** The events of the service after the range, up to `through`. */
export function readRecordsBehind(
  ledger: Ledger,
  { accountId, filter }: Selection,
  through: bigint,
  signal: AbortSignal,
): AsyncGenerator<Records> {
  const { beforeSequence = 1n } = filter;
  const behind = { afterSequence: beforeSequence - 1n, beforeSequence: through + 1n };
  const records = ofTheService(create(EventFilterSchema, behind));
  return readWithProofs(ledger, { accountId, filter: records }, signal);
}

function readWithProofs(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  return readEvents(ledger, { ...selection, format: "jsonl", includeProof: true }, signal);
}

function isRange(filter: EventFilter): boolean {
  const { actionPrefixes, actions, actorIds, actorTypes, targetIds, targetTypes } = filter;
  const { fields, occurredFrom, occurredTo, receivedFrom, receivedTo, texts } = filter;
  const ids = [actorIds, actorTypes, targetIds, targetTypes];
  const values = [actions, actionPrefixes, fields, texts, ...ids];
  const others = [occurredFrom, occurredTo, receivedFrom, receivedTo, filter.not];
  return values.every(({ length }) => length === 0) && others.every((value) => value === undefined);
}

function ofTheService({ afterSequence, beforeSequence }: EventFilter): EventFilter {
  return create(EventFilterSchema, {
    actionPrefixes: [AUDIT_ACTION_PREFIX],
    ...(afterSequence !== undefined && { afterSequence }),
    ...(beforeSequence !== undefined && { beforeSequence }),
  });
}

/** Undefined if there is not one page, as in nearly every account. */
async function begun(
  pages: AsyncGenerator<EventPage>,
): Promise<AsyncGenerator<Records> | undefined> {
  const first = await pages.next();
  if (first.done === true) return undefined;
  return (async function* () {
    yield first.value;
    yield* pages;
  })();
}

async function* linesOf(pages: AsyncGenerator<Records>): AsyncGenerator<Line> {
  for await (const { hasErased, text } of pages)
    for (let from = 0; from < text.length;) {
      const end = text.indexOf(LINE_FEED, from) + 1 || text.length;
      const line = text.subarray(from, end);
      const beginning = Buffer.from(line.subarray(0, BEGINNING_BYTES)).toString("latin1");
      const [, sequence] = BEGINNING.exec(beginning) ?? [];
      if (sequence === undefined) throw new Error("the ledger sent a line of another form");
      yield { hasErased, sequence: BigInt(sequence), text: line };
      from = end;
    }
}

/** In ascending order; an event that both have is there once. */
async function* merged(
  one: AsyncGenerator<Line>,
  other: AsyncGenerator<Line>,
): AsyncGenerator<Records> {
  let [next, also] = [await nextOf(one), await nextOf(other)];
  while (next !== undefined || also !== undefined) {
    const isNext = also === undefined || (next !== undefined && next.sequence <= also.sequence);
    const line = isNext ? next : also;
    if (line === undefined) return;
    yield { text: line.text, count: 1, hasErased: line.hasErased };
    if (next?.sequence === line.sequence) next = await nextOf(one);
    if (also?.sequence === line.sequence) also = await nextOf(other);
  }
}

async function nextOf(lines: AsyncGenerator<Line>): Promise<Line | undefined> {
  const { done, value } = await lines.next();
  return done === true ? undefined : value;
}
