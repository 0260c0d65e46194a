// Whether the filter of an export names an erased value. The export service asks for its jobs and entries,
// the webhook dispatcher for bodies of deliveries.

export interface ErasedValues {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
}

/** `filter` is the JSON object that the client sent. The id of a person may be in any declared field. */
export function namesErased(
  filter: Readonly<Record<string, unknown>>,
  { actorId, targetId }: ErasedValues,
): boolean {
  const excluded = (filter["not"] ?? {}) as typeof filter;
  return [filter, excluded].some((values) => {
    const fields = Object.values(values["fields"] ?? {}).flat();
    return (
      names([values["actor_id"], fields], actorId) || names([values["target_id"], fields], targetId)
    );
  });
}

/** `given` has values, and arrays of values, of which each may be the erased one. */
function names(given: readonly unknown[], erased: string | undefined): boolean {
  return erased !== undefined && given.flat().includes(erased);
}
