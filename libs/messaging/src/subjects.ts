// The names of notices: kinds, subjects, the stream; and notices as encoded messages. Used by publish.ts and
// consume.ts. Changes must be compatible with the release before: replicas of two releases talk to each
// other.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { NoticeKind as ProtoKind, NoticesSchema } from "@annals/proto/notices";

/** What a producer stores more of. Each account has one gapless sequence of positions for each kind. */
export const NOTICE_KINDS = ["events", "verifications", "exports"] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** The account's sequence of this kind reaches at least to `position`. */
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

/** Notices of one message: it stays below the stream's `max_msg_size`, whatever they contain. */
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

/** Empty where the bytes are no notices, or only notices of kinds that a later release has. */
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
