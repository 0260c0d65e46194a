// The words of notices: kinds, subjects, the name of the stream, and a notice as the bytes that travel.
// Used by both ends, publish.ts and consume.ts. What stands here must never change within a release:
// replicas of two releases talk to each other.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { NoticeKind as ProtoKind, NoticeSchema } from "@annals/proto/notices";

/** What a producer has more of; each account has one gapless row of positions a kind. */
export const NOTICE_KINDS = ["events", "verifications", "exports"] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** "Look, there is more": the account's row of this kind reaches at least to `position`. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly accountId: string;
  readonly position: bigint;
}

export const STREAM = "ANNALS_NOTICES";

/** Every notice's subject matches it. */
export const ALL_SUBJECTS = "annals.notices.*";

const PROTO_KINDS: Record<NoticeKind, ProtoKind> = {
  events: ProtoKind.EVENTS,
  verifications: ProtoKind.VERIFICATIONS,
  exports: ProtoKind.EXPORTS,
};

export function subjectOf({ kind }: Notice): string {
  return `annals.notices.${kind}`;
}

/**
 * The same notice has the same id, so that the server drops it where it comes again within the duplicate
 * window.
 */
export function messageIdOf({ kind, accountId, position }: Notice): string {
  return `${kind}-${accountId}-${position}`;
}

export function encodeNotice({ kind, accountId, position }: Notice): Uint8Array {
  return toBinary(
    NoticeSchema,
    create(NoticeSchema, { kind: PROTO_KINDS[kind], accountId, position }),
  );
}

/** Undefined where the bytes are no notice, or one of a kind that a later release has made. */
export function decodeNotice(bytes: Uint8Array): Notice | undefined {
  try {
    const message = fromBinary(NoticeSchema, bytes);
    const kind = NOTICE_KINDS.find((each) => PROTO_KINDS[each] === message.kind);
    if (kind === undefined || message.accountId === "") return undefined;
    return { kind, accountId: message.accountId, position: message.position };
  } catch {
    return undefined;
  }
}
