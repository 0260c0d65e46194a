// A filter without the values of an erased actor or target. Called for webhooks and sinks before an erasure
// is confirmed. A filter must never select more by that: a member that has no value left matches no event,
// and where `not` has lost a value, the caller stops what the filter belongs to.

import {
  FILTER_MEMBERS,
  type FilterValues,
  type StoredField,
  type WebhookFilter,
} from "./webhook-filter.ts";

/** The actor and the target of events whose part was erased. */
export interface ErasedValues {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
}

/**
 * The same object if it names neither. Both can be a value of any declared field. Null: `not` was all that
 * it had.
 */
export function withoutErased(filter: WebhookFilter, erased: ErasedValues): WebhookFilter | null {
  const { not, ...own } = filter;
  const left = withoutIn(own, erased);
  const leftOut = not && withoutIn(not, erased);
  if (left === own && leftOut === not) return filter;
  const excluded = leftOut === not ? not : leftOut && withValues(leftOut);
  const members = { ...left, ...(excluded && { not: excluded }) };
  return Object.keys(members).length === 0 ? null : members;
}

/** Whether it leaves out less than the filter that it was made of. */
export function excludesLess(left: WebhookFilter | null, before: WebhookFilter): boolean {
  return left?.not !== before.not;
}

function withoutIn<Values extends FilterValues>(
  values: Values,
  { actorId, targetId }: ErasedValues,
): Values {
  const without = (given: readonly string[], erased: readonly (string | undefined)[]) =>
    given.some((value) => erased.includes(value))
      ? given.filter((value) => !erased.includes(value))
      : given;
  const ids = { actor_id: [actorId], target_id: [targetId] };
  let left = values;
  for (const member of ["actor_id", "target_id"] as const) {
    const given = values[member];
    const kept = given && without(given, ids[member]);
    if (kept !== given) left = { ...left, [member]: kept };
  }
  const fields = Object.entries(values.fields ?? {}).map(([name, field]): [string, StoredField] => {
    const kept = without(field.values, [actorId, targetId]);
    return [name, kept === field.values ? field : { ...field, values: kept }];
  });
  const isKept = fields.every(([name, field]) => field === values.fields?.[name]);
  return isKept ? left : { ...left, fields: Object.fromEntries(fields) };
}

/** Its members that have values; undefined without any: they would leave nothing out. */
function withValues(values: FilterValues): FilterValues | undefined {
  const members = ([...FILTER_MEMBERS, "outcome"] as const).flatMap((member) => {
    const given = values[member];
    return given && given.length > 0 ? [[member, given] as const] : [];
  });
  const fields = Object.entries(values.fields ?? {}).filter(([, field]) => field.values.length > 0);
  if (members.length + fields.length === 0) return undefined;
  return {
    ...Object.fromEntries(members),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}
