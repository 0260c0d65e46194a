// Whether the filter of an export names an erased value. The export service asks for its jobs and entries,
// the webhook dispatcher for bodies of deliveries.

export interface ErasedValues {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
}

/** `filter` is the JSON object that the client sent. */
export function namesErased(
  filter: Readonly<Record<string, unknown>>,
  { actorId, targetId }: ErasedValues,
): boolean {
  return names(filter["actor_id"], actorId) || names(filter["target_id"], targetId);
}

/** `given` is a value, or an array of values of which each may be the erased one. */
function names(given: unknown, erased: string | undefined): boolean {
  return erased !== undefined && [given].flat().includes(erased);
}
