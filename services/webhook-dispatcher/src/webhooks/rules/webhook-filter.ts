// The filter of a webhook: which events it receives. It selects as the filters of a list do
// (docs/interface.md, webhook-filter). Called by the fan-out for each event and webhook, and when a
// filter is stored. It must never match by a value that an event no longer has.

export const FILTER_MEMBERS = [
  "action",
  "actor_id",
  "actor_type",
  "target_id",
  "target_type",
] as const;

export type FilterMember = (typeof FILTER_MEMBERS)[number];

/**
 * An event must have one of the values of each member. Members without values, which an erasure leaves, match
 * no event.
 */
export type WebhookFilter = Readonly<Partial<Record<FilterMember, readonly string[]>>>;

/** What filters read of an event. A value that was erased, or never there, is absent. */
export type EventValues = Readonly<Partial<Record<FilterMember, string>>>;

export function isSelected(filter: WebhookFilter, event: EventValues): boolean {
  return FILTER_MEMBERS.every((member) => {
    const own = event[member];
    const values = filter[member];
    if (values === undefined) return true;
    return own !== undefined && values.some((value) => hasValue(member, value, own));
  });
}

/** An action with `*` at its end is a prefix. */
function hasValue(member: FilterMember, value: string, own: string): boolean {
  if (member === "action" && value.endsWith("*")) return own.startsWith(value.slice(0, -1));
  return own === value;
}

/** Reads the values from the JSON text of an event. An erased part is `{}`. */
export function valuesOf(json: string): EventValues {
  const { action, actor, target } = JSON.parse(json) as Readonly<{
    action: string;
    actor: Readonly<Record<string, unknown>>;
    target: Readonly<Record<string, unknown>>;
  }>;
  const values = {
    action,
    actor_id: actor["id"],
    actor_type: actor["type"],
    target_id: target["id"],
    target_type: target["type"],
  };
  const present = Object.entries(values).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(present);
}

/** The actor and the target of events whose part was erased. */
export interface ErasedValues {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
}

/** The filter without the values of an erased actor or target; the same object if it names neither. */
export function withoutErased(
  filter: WebhookFilter,
  { actorId, targetId }: ErasedValues,
): WebhookFilter {
  const erased = { actor_id: actorId, target_id: targetId };
  let left = filter;
  for (const member of ["actor_id", "target_id"] as const) {
    const value = erased[member];
    const values = left[member];
    if (value === undefined || values?.includes(value) !== true) continue;
    left = { ...left, [member]: values.filter((one) => one !== value) };
  }
  return left;
}
