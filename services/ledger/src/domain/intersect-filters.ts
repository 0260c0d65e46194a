// The filter that selects what two others both select. Called for widget tokens, whose filter bounds every
// request. It must never select an event that one of the two leaves out.

import type { EventFilter } from "./event-filter.ts";

/** Returns undefined if no event can match both. */
export function intersectFilters(one: EventFilter, other: EventFilter): EventFilter | undefined {
  const action = bothActions(one, other);
  const texts = [
    bothTexts(one.actorId, other.actorId),
    bothTexts(one.actorType, other.actorType),
    bothTexts(one.targetId, other.targetId),
    bothTexts(one.targetType, other.targetType),
  ];
  if (action === undefined || texts.includes(NONE)) return undefined;
  const [actorId, actorType, targetId, targetType] = texts as (string | undefined)[];
  return {
    ...action,
    actorId,
    actorType,
    targetId,
    targetType,
    // Times are compared as text, whose order is the order of time.
    occurredFrom: greatest(one.occurredFrom, other.occurredFrom),
    occurredTo: least(one.occurredTo, other.occurredTo),
    afterSequence: greatest(one.afterSequence, other.afterSequence),
    beforeSequence: least(one.beforeSequence, other.beforeSequence),
  };
}

type ActionFilter = Pick<EventFilter, "action" | "actionIsPrefix">;

function bothActions(one: ActionFilter, other: ActionFilter): ActionFilter | undefined {
  if (one.action === undefined) return actionOf(other);
  if (other.action === undefined) return actionOf(one);
  // If both have the same text, the prefix includes the other.
  if (includes(one, other.action) && !(other.actionIsPrefix && !one.actionIsPrefix))
    return actionOf(other);
  return includes(other, one.action) ? actionOf(one) : undefined;
}

const actionOf = ({ action, actionIsPrefix }: ActionFilter): ActionFilter => ({
  action,
  actionIsPrefix,
});

/** Whether `text`, and every action that begins with it, is selected. */
function includes({ action = "", actionIsPrefix }: ActionFilter, text: string): boolean {
  return actionIsPrefix ? text.startsWith(action) : text === action;
}

const NONE = Symbol("no text");

/** The text that both select; undefined: any text. */
function bothTexts(one?: string, other?: string): string | undefined | typeof NONE {
  if (one === undefined || other === undefined) return one ?? other;
  return one === other ? one : NONE;
}

function greatest<T extends string | bigint>(one?: T, other?: T): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

function least<T extends string | bigint>(one?: T, other?: T): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
