// The scopes of an API key (interface 2). Every service that speaks of scopes takes the words from here.

/** All scopes, in the order of interface 2, which is also the order in which they are shown. */
export const SCOPES = ["events:read", "events:write", "verify", "export", "keys:manage"] as const;

export type Scope = (typeof SCOPES)[number];

/** The scopes of whoever has access to the system account, whose chain no client may write to. */
export const SYSTEM_SCOPES: readonly Scope[] = ["events:read", "verify", "export"];

/** What a widget token has in place of scopes. It is not one of them: no API key can have it. */
export const WIDGET = "widget";

/** Needed if any API key may call, whatever its scopes, and no widget token. */
export const ANY_KEY = "any_key";

/** What a route or an RPC requires of its caller. */
export type Permission = Scope | typeof WIDGET | typeof ANY_KEY;

/** Whether who has these scopes has what is needed. */
export function isPermitted(scopes: readonly string[], needed: Permission): boolean {
  return needed === ANY_KEY ? scopes.some(isScope) : scopes.includes(needed);
}

const known: ReadonlySet<string> = new Set(SCOPES);

export function isScope(word: string): word is Scope {
  return known.has(word);
}

/** The scopes among `words`, each once, in the order of {@link SCOPES}. Unknown words are left out. */
export function orderedScopes(words: Iterable<string>): Scope[] {
  const given = new Set(words);
  return SCOPES.filter((scope) => given.has(scope));
}
