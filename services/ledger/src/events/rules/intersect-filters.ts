// The filter that selects what two others both select. Called for widget tokens, whose filter bounds every
// request. It must never select an event that one of the two leaves out.

import { beginsWithAny, type EventFilter, type Values } from "../../search/rules/event-filter.ts";

/** Returns undefined if no event can match both. It has at most the values of both together. */
export function intersectFilters(one: EventFilter, other: EventFilter): EventFilter | undefined {
  const actions = bothActions(one, other);
  const actorIds = bothTexts(one.actorIds, other.actorIds);
  const actorTypes = bothTexts(one.actorTypes, other.actorTypes);
  const targetIds = bothTexts(one.targetIds, other.targetIds);
  const targetTypes = bothTexts(one.targetTypes, other.targetTypes);
  // An event can have a text of each. No token has one, so then nothing is found, and never too much.
  const texts = bothTexts(one.texts, other.texts);
  if (!actions || !actorIds || !actorTypes || !targetIds || !targetTypes || !texts)
    return undefined;
  return {
    ...actions,
    actorIds,
    actorTypes,
    targetIds,
    targetTypes,
    texts,
    // An event can have several values of a field, so it may match both where no value does.
    fields: [...(one.fields ?? []), ...(other.fields ?? [])],
    ...((one.not ?? other.not) && { not: eitherValues(one.not, other.not) }),
    // Times are compared as text, whose order is the order of time.
    occurredFrom: greatest(one.occurredFrom, other.occurredFrom),
    occurredTo: least(one.occurredTo, other.occurredTo),
    receivedFrom: greatest(one.receivedFrom, other.receivedFrom),
    receivedTo: least(one.receivedTo, other.receivedTo),
    afterSequence: greatest(one.afterSequence, other.afterSequence),
    beforeSequence: least(one.beforeSequence, other.beforeSequence),
  };
}

interface Actions {
  readonly actions: readonly string[];
  readonly actionPrefixes: readonly string[];
}

/** Undefined: no action matches both. */
function bothActions(one: EventFilter, other: EventFilter): Actions | undefined {
  const [first, second] = [selected(one), selected(other)];
  if (isAny(first)) return second;
  if (isAny(second)) return first;
  const actions = [
    ...first.actions.filter((action) => includes(second, action)),
    ...second.actions.filter((action) => includes(first, action)),
  ];
  // What begins with the longer of two prefixes matches both, if that one begins with the other.
  const actionPrefixes = [
    ...first.actionPrefixes.filter((prefix) => beginsWithAny(prefix, second.actionPrefixes)),
    ...second.actionPrefixes.filter((prefix) => beginsWithAny(prefix, first.actionPrefixes)),
  ];
  const both = { actions: unique(actions), actionPrefixes: unique(actionPrefixes) };
  return isAny(both) ? undefined : both;
}

const selected = ({ actionPrefixes = [], actions = [] }: EventFilter): Actions => ({
  actions,
  actionPrefixes,
});

const isAny = ({ actionPrefixes, actions }: Actions): boolean =>
  actionPrefixes.length + actions.length === 0;

function includes({ actionPrefixes, actions }: Actions, action: string): boolean {
  return actions.includes(action) || beginsWithAny(action, actionPrefixes);
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** The texts that both select; empty: any text. Undefined: none. */
function bothTexts(
  one: readonly string[] = [],
  other: readonly string[] = [],
): readonly string[] | undefined {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const both = one.filter((text) => other.includes(text));
  return both.length === 0 ? undefined : both;
}

/** What either leaves out. */
function eitherValues(one: Values = {}, other: Values = {}): Values {
  const of = (name: Exclude<keyof Values, "fields">) =>
    unique([...(one[name] ?? []), ...(other[name] ?? [])]);
  return {
    actions: of("actions"),
    actionPrefixes: of("actionPrefixes"),
    actorIds: of("actorIds"),
    actorTypes: of("actorTypes"),
    targetIds: of("targetIds"),
    targetTypes: of("targetTypes"),
    fields: [...(one.fields ?? []), ...(other.fields ?? [])],
  };
}

function greatest<T extends string | bigint>(one?: T, other?: T): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

function least<T extends string | bigint>(one?: T, other?: T): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
