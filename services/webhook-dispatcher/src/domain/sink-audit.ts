// Audit entries of sinks. Called by the handlers and by workers/sink-cursor.ts. They never hold a secret, an
// address with its path, or a filter, which may name a person.

interface Change {
  readonly actor: { readonly type: "api_key" | "service"; readonly id?: string | undefined };
  readonly occurredAt: string;
  readonly diff?: { readonly before?: object; readonly after?: object };
  readonly metadata?: object;
}

export function sinkChange<const Verb extends string>(
  verb: Verb,
  accountId: string,
  sinkId: string,
  change: Change,
) {
  const target = { type: "sink", id: sinkId };
  return { accountId, action: `annals.sink.${verb}`, target, ...change } as const;
}
