// The words of notices: kinds, subjects, the name of the stream, and notices as the bytes that travel.
// Used by both ends, publish.ts and consume.ts. What stands here must never change within a release:
// replicas of two releases talk to each other.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { NoticeKind as ProtoKind, NoticesSchema } from "@annals/proto/notices";

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

/** Notices of one message. It stays below the stream's `max_msg_size`, whatever they tell of. */
export const MAX_NOTICES = 64;

export function subjectOf(kind: NoticeKind): string {
  return `annals.notices.${kind}`;
}

/** At most {@link MAX_NOTICES}. */
export function encodeNotices(notices: readonly Notice[]): Uint8Array {
  const message = create(NoticesSchema, {
    notices: notices.map(({ kind, accountId, position }) => ({
      kind: PROTO_KINDS[kind],
      accountId,
      position,
    })),
  });
  return toBinary(NoticesSchema, message);
}

/** Empty where the bytes are no notices, or only such as a later release has made. */
export function decodeNotices(bytes: Uint8Array): Notice[] {
  try {
    return fromBinary(NoticesSchema, bytes).notices.flatMap(
      ({ kind: number, accountId, position }) => {
        const kind = NOTICE_KINDS.find((each) => PROTO_KINDS[each] === number);
        return kind === undefined || accountId === "" ? [] : [{ kind, accountId, position }];
      },
    );
  } catch {
    return [];
  }
}
