// What a list or a stream selects, and the range of texts that an action prefix matches.

export interface EventFilter {
  readonly action?: string | undefined;
  readonly actionIsPrefix: boolean;
  readonly actorId?: string | undefined;
  readonly actorType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly targetType?: string | undefined;
  /** Times in UTC with six fraction digits. The first is inclusive, the second exclusive. */
  readonly occurredFrom?: string | undefined;
  readonly occurredTo?: string | undefined;
  /** Both exclusive. */
  readonly afterSequence?: bigint | undefined;
  readonly beforeSequence?: bigint | undefined;
}

/**
 * The actions that `filter` selects: one text, or all texts from `from` up to but not including `to` (null:
 * no end).
 */
export function actionRange({ action, actionIsPrefix }: EventFilter) {
  if (action === undefined) return { exact: null, from: null, to: null };
  if (!actionIsPrefix) return { exact: action, from: null, to: null };
  return { exact: null, from: action, to: successor(action) };
}

const LAST_CODE_POINT = 0x10_ff_ff;
const FIRST_SURROGATE = 0xd8_00;
const LAST_SURROGATE = 0xdf_ff;

/**
 * The least text, in code point order, that is after every text that begins with `prefix`; null if no text
 * is.
 */
function successor(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === LAST_CODE_POINT) continue;
    const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return null;
}

/** Whether a filter selects by the contents of events, and not only by time and sequence number. */
export function hasValues(filter: EventFilter): boolean {
  const { action, actorId, actorType, targetId, targetType } = filter;
  return [action, actorId, actorType, targetId, targetType].some((value) => value !== undefined);
}

export function hasTime({ occurredFrom, occurredTo }: EventFilter): boolean {
  return occurredFrom !== undefined || occurredTo !== undefined;
}

/** Whether a filter selects every event, or every event of a range. */
export function isPlain(filter: EventFilter): boolean {
  return !hasTime(filter) && !hasValues(filter);
}
