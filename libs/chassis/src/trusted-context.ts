// Which authorities connections to hosts outside trust: the usual ones and those of the operator. Called by
// ask.ts, and by the dispatcher for what it sends. It must never be given an authority that a user names.

import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";

/** Contexts by their authorities. A process knows those of its settings alone. */
const contexts = new Map<string | undefined, SecureContext>();

/**
 * Trusts the usual authorities and these (PEM). It is made once for all connections: parsing a hundred
 * certificates for each would cost more than what is sent on it.
 */
export function trustedContext(extraAuthorities: string | undefined): SecureContext {
  const known = contexts.get(extraAuthorities);
  if (known) return known;
  const context = createSecureContext({
    ...(extraAuthorities !== undefined && {
      ca: [...getCACertificates("default"), extraAuthorities],
    }),
  });
  contexts.set(extraAuthorities, context);
  return context;
}
