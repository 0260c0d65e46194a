// Reads the events of a bundle of evidence: those that match its filter, and every event of the service
// itself, whose actions begin with `annals.`: they record what was erased. Called by write-bundle.ts.

import { AUDIT_ACTION_PREFIX } from "@annals/contract";
import { type EventFilter, EventFilterSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { type EventPage, type EventSelection, readEvents } from "./read-events.ts";

type Ledger = Parameters<typeof readEvents>[0];
type Records = Pick<EventPage, "count" | "text">;

interface Line {
  readonly sequence: bigint;
  readonly text: Uint8Array;
}

const LINE_FEED = 0x0a;
/** How a line with a proof begins (event-json.ts in libs/event). */
const BEGINNING = /^\{"event":\{"id":"\w+","sequence_number":(\d+),/;
const BEGINNING_BYTES = 200;

export async function* readBundleEvents(
  ledger: Ledger,
  selection: Omit<EventSelection, "format" | "includeProof">,
  signal: AbortSignal,
): AsyncGenerator<Records> {
  const read = (filter: EventFilter) =>
    readEvents(
      ledger,
      { accountId: selection.accountId, filter, format: "jsonl", includeProof: true },
      signal,
    );
  const { filter } = selection;
  const own = isRange(filter) ? undefined : await begun(read(ofTheService(filter)));
  if (own === undefined) yield* read(filter);
  else yield* merged(linesOf(read(filter)), linesOf(own));
}

function isRange(filter: EventFilter): boolean {
  const { action, actorId, actorType, occurredFrom, occurredTo, targetId, targetType } = filter;
  return [action, actorId, actorType, occurredFrom, occurredTo, targetId, targetType].every(
    (value) => value === undefined,
  );
}

function ofTheService({ afterSequence, beforeSequence }: EventFilter): EventFilter {
  return create(EventFilterSchema, {
    action: AUDIT_ACTION_PREFIX,
    actionIsPrefix: true,
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
  for await (const { text } of pages)
    for (let from = 0; from < text.length;) {
      const end = text.indexOf(LINE_FEED, from) + 1 || text.length;
      const line = text.subarray(from, end);
      const beginning = Buffer.from(line.subarray(0, BEGINNING_BYTES)).toString("latin1");
      const [, sequence] = BEGINNING.exec(beginning) ?? [];
      if (sequence === undefined) throw new Error("the ledger sent a line of another form");
      yield { sequence: BigInt(sequence), text: line };
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
    yield { text: line.text, count: 1 };
    if (next?.sequence === line.sequence) next = await nextOf(one);
    if (also?.sequence === line.sequence) also = await nextOf(other);
  }
}

async function nextOf(lines: AsyncGenerator<Line>): Promise<Line | undefined> {
  const { done, value } = await lines.next();
  return done === true ? undefined : value;
}
