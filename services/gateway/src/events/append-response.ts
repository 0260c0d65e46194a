// Stores the events of a request and writes the response: from the bytes of the events and the receipt of the
// ledger, or from the stored events if an earlier request had stored them. Called by the routes that
// create events.

import { inBytes, PIECE_BYTES, type Work } from "@annals/contract";
import { eventJson, eventJsonBytes, type EventText } from "@annals/event";
import type { AppendReceipt } from "@annals/proto/ledger";
import { listBytes } from "../render/data.ts";
import type { Deps } from "../deps.ts";
import type { RouteResponse, Call } from "../route.ts";
import { idempotency, refuseIntakeKey, replayHeaders } from "./idempotency.ts";
import { monthlyQuota } from "./monthly-quota.ts";
import type { EventForm, NewEvents } from "./new-events.ts";

interface Request extends Pick<
  Call<never, never, never, { readonly "idempotency-key"?: string }>,
  "admission" | "headers" | "receivedAt"
> {
  readonly form: EventForm;
}

/** The JSON text around the events of a response. */
const AROUND = {
  event: { head: '{"data":', tail: "}", pieceBytes: PIECE_BYTES },
  batch: { head: '{"data":[', tail: "]}", pieceBytes: PIECE_BYTES },
} as const satisfies Record<EventForm, unknown>;

export async function appendEvents(
  { appends, turns }: Pick<Deps, "appends" | "turns">,
  events: NewEvents,
  { admission, form, headers, receivedAt }: Request,
): Promise<RouteResponse> {
  const { accountId, statement } = admission;
  refuseIntakeKey(headers["idempotency-key"]);
  const appended = await appends.append({
    accountId,
    statement,
    receivedAt,
    events,
    ...idempotency(headers["idempotency-key"], form, events),
    ...monthlyQuota(admission),
  });
  const response = appended.replayed
    ? repeatedResponse(form, appended.events)
    : eventJsonBytes(events, addedBytes(events, appended.receipt, receivedAt), AROUND[form]);
  return { body: await turns.run(accountId, response), ...replayHeaders(appended) };
}

function addedBytes(
  { occurredAts }: NewEvents,
  { createdAt, firstSequenceNumber, packedHashes, packedIds }: AppendReceipt,
  receivedAt: string,
) {
  return {
    firstSequenceNumber: Number(firstSequenceNumber),
    occurredAts,
    receivedAt,
    createdAt,
    ids: packedIds,
    hashes: packedHashes,
  };
}

/** Repeats the first response, from the stored events. */
function* repeatedResponse(form: EventForm, events: readonly EventText[]): Work<Buffer | string> {
  const texts: string[] = [];
  yield* inBytes(events, (event) => texts[texts.push(eventJson(event)) - 1]?.length ?? 0);
  const { head, tail } = AROUND[form];
  return form === "event" ? head + texts.join(",") + tail : listBytes(texts, tail);
}
