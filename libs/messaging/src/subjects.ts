// The names of notices: kinds, subjects, the stream; and notices as encoded messages. Used by publish.ts and
// consume.ts. Changes must be compatible with the previous release: replicas of two releases talk to each
// other.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  NoticeKind as ProtoKind,
  type NoticeTrace as ProtoTrace,
  NoticesSchema,
} from "@annals/proto/notices";

/** What a producer stores more of. Each account has one gapless sequence of positions for each kind. */
export const NOTICE_KINDS = ["events", "verifications", "exports"] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** The account's sequence of this kind reaches at least to `position`. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly accountId: string;
  readonly position: bigint;
  /** Spans of the recorded requests, in the order of their positions; absent if no request is recorded. */
  readonly traces?: readonly NoticeTrace[];
}

/** The span that stored these positions. */
export interface NoticeTrace {
  readonly first: bigint;
  readonly last: bigint;
  /** In lower-case hexadecimal, as in W3C Trace Context. */
  readonly traceId: string;
  readonly spanId: string;
}

export const STREAM = "ANNALS_NOTICES";

/** Every notice's subject matches it. */
export const ALL_SUBJECTS = "annals.notices.*";

const PROTO_KINDS: Record<NoticeKind, ProtoKind> = {
  events: ProtoKind.EVENTS,
  verifications: ProtoKind.VERIFICATIONS,
  exports: ProtoKind.EXPORTS,
};

/** Notices of one message: it stays below the stream's `max_msg_size`, whatever they contain. */
export const MAX_NOTICES = 64;
/** The same, if some have traces. */
export const MAX_TRACED_NOTICES = 12;
/** Traces of one notice; its positions beyond them have none. */
export const MAX_TRACES = 4;

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export function subjectOf(kind: NoticeKind): string {
  return `annals.notices.${kind}`;
}

/** At most {@link MAX_NOTICES}. */
export function encodeNotices(notices: readonly Notice[]): Uint8Array {
  const message = create(NoticesSchema, {
    notices: notices.map(({ kind, accountId, position, traces = [] }) => ({
      kind: PROTO_KINDS[kind],
      accountId,
      position,
      traces: traces.slice(0, MAX_TRACES).map((trace) => ({
        firstPosition: trace.first,
        lastPosition: trace.last,
        traceId: Buffer.from(trace.traceId, "hex"),
        spanId: Buffer.from(trace.spanId, "hex"),
      })),
    })),
  });
  return toBinary(NoticesSchema, message);
}

/** Empty if the bytes are no notices, or only notices of kinds that a later release has. */
export function decodeNotices(bytes: Uint8Array): Notice[] {
  try {
    return fromBinary(NoticesSchema, bytes).notices.flatMap(
      ({ kind: number, accountId, position, traces: given }) => {
        const kind = NOTICE_KINDS.find((each) => PROTO_KINDS[each] === number);
        if (kind === undefined || accountId === "") return [];
        const traces = given.slice(0, MAX_TRACES).flatMap(traceOf);
        return [{ kind, accountId, position, ...(traces.length > 0 && { traces }) }];
      },
    );
  } catch {
    return [];
  }
}

function traceOf({ firstPosition, lastPosition, spanId, traceId }: ProtoTrace): NoticeTrace[] {
  if (traceId.length !== TRACE_ID_BYTES || spanId.length !== SPAN_ID_BYTES) return [];
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  return [{ first: firstPosition, last: lastPosition, traceId: hex(traceId), spanId: hex(spanId) }];
}
