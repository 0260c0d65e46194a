// What a list or a stream selects, and the range of texts that an action prefix matches.

import { afterPrefix } from "@annals/contract";

/** An event matches if it matches each member that is given; of a member with values, any one of them. */
export interface EventFilter extends Values {
  /** An event with one of the values of any member does not match. */
  readonly not?: Values | undefined;
  /** An event has one of them. */
  readonly texts?: readonly string[];
  /** The parts in which they are looked for, out of WIDGET_PARTS. By default all. */
  readonly textParts?: readonly string[];
  /** Times in UTC with six fraction digits. The first of each pair is inclusive, the second exclusive. */
  readonly occurredFrom?: string | undefined;
  readonly occurredTo?: string | undefined;
  readonly receivedFrom?: string | undefined;
  readonly receivedTo?: string | undefined;
  /** Both exclusive. */
  readonly afterSequence?: bigint | undefined;
  readonly beforeSequence?: bigint | undefined;
}

/** Members with values. One without a value says nothing. The first two are about actions together. */
export interface Values {
  /** Each says something of its own. */
  readonly fields?: readonly FieldValues[];
  readonly actions?: readonly string[];
  readonly actionPrefixes?: readonly string[];
  readonly actorIds?: readonly string[];
  readonly actorTypes?: readonly string[];
  readonly targetIds?: readonly string[];
  readonly targetTypes?: readonly string[];
}

/** What an event has in its parts. It needs a value that one of `values` selects. */
export interface FieldValues {
  /** What the client calls it. */
  readonly name: string;
  /** Begins with the part. */
  readonly path: readonly string[];
  readonly type: string;
  readonly ignoreCase: boolean;
  readonly values: readonly string[];
}

/** Actions that begin with a prefix: those from `from` up to but not including `to`; null: no end. */
export interface ActionRange {
  readonly from: string;
  readonly to: string | null;
}

/**
 * The actions that a filter selects, each once: some texts, and the ranges of prefixes of which none begins
 * with another. No text is in a range. Undefined: any action.
 */
export function actionsOf({
  actionPrefixes = [],
  actions = [],
}: EventFilter):
  | { readonly exact: readonly string[]; readonly ranges: readonly ActionRange[] }
  | undefined {
  if (actionPrefixes.length + actions.length === 0) return undefined;
  // A prefix comes before the texts that begin with it.
  const shortest: string[] = [];
  for (const prefix of new Set(actionPrefixes.toSorted((one, other) => one.length - other.length)))
    if (!beginsWithAny(prefix, shortest)) shortest.push(prefix);
  return {
    exact: [...new Set(actions)].filter((action) => !beginsWithAny(action, shortest)),
    ranges: shortest.map((prefix) => ({ from: prefix, to: afterPrefix(prefix) })),
  };
}

export function beginsWithAny(text: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/** Whether a filter selects by the contents of events, and not only by time and sequence number. */
export function hasValues({ not = {}, ...filter }: EventFilter): boolean {
  return namesValues(filter) || namesValues(not) || hasText(filter);
}

export function hasText({ texts = [] }: EventFilter): boolean {
  return texts.length > 0;
}

export function namesValues(values: Values): boolean {
  const { actionPrefixes, actions, actorIds, actorTypes, fields, targetIds, targetTypes } = values;
  return [actions, actionPrefixes, actorIds, actorTypes, fields, targetIds, targetTypes].some(
    (given) => given !== undefined && given.length > 0,
  );
}

export function hasTime(filter: EventFilter): boolean {
  const { occurredFrom, occurredTo, receivedFrom, receivedTo } = filter;
  return [occurredFrom, occurredTo, receivedFrom, receivedTo].some((time) => time !== undefined);
}

/** Whether a filter selects every event, or every event of a range. */
export function isPlain(filter: EventFilter): boolean {
  return !hasTime(filter) && !hasValues(filter);
}
