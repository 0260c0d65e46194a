// Whether the filter of an export names an erased value. The export service asks for its jobs and entries,
// the webhook dispatcher for bodies of deliveries, and the ledger for texts of saved searches.

export interface ErasedValues {
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
}

/**
 * `filter` is the JSON object that the client sent. The id of a person may be in any declared field, and a
 * word of its text.
 */
export function namesErased(
  filter: Readonly<Record<string, unknown>>,
  { actorId, targetId }: ErasedValues,
): boolean {
  const excluded = (filter["not"] ?? {}) as typeof filter;
  const { text = "" } = filter;
  if (typeof text === "string" && hasErasedWord(text, { actorId, targetId })) return true;
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

/** Whether a text that a client chose has one of the values. */
export function hasErasedWord(text: string, { actorId, targetId }: ErasedValues): boolean {
  return isWordOf(text, actorId) || isWordOf(text, targetId);
}

/** Whether the text has the value, with neither a letter nor a digit next to it. Texts match in any case. */
function isWordOf(text: string, value = ""): boolean {
  const [within, word] = [text.toLowerCase(), value.toLowerCase()];
  if (word === "") return false;
  for (let at = within.indexOf(word); at !== -1; at = within.indexOf(word, at + 1)) {
    const isPart =
      /[\p{L}\p{N}]$/u.test(within.slice(0, at)) ||
      /^[\p{L}\p{N}]/u.test(within.slice(at + word.length));
    if (!isPart) return true;
  }
  return false;
}
