// What the services record of themselves: the account whose chain holds it, the beginning of the actions, and
// their size. Called by keys, which makes the account, by the gateway, which keeps clients from such actions,
// and by the ledger, which does the same and appends to the chain.

/**
 * The system account. `newId` cannot make its id. Keys can read its chain, verify and export it,
 * and nothing else; only the ledger itself appends to it.
 */
export const SYSTEM_ACCOUNT_ID = "acct_system";

/** How the actions of recorded changes begin: `annals.key.created`. */
export const AUDIT_ACTION_PREFIX = "annals.";

/** Bytes of an entry's action and canonical parts, its context included. */
export const MAX_AUDIT_ENTRY_BYTES = 1_024;

/** The action of the entry that says how many more there were in a minute. */
export const AUDIT_COUNTED_ACTION = "annals.audit.counted";

/** The action of the entries that count reads. No chain but that of the system account has them. */
export const READ_ACTION = "annals.account.read";

/** Characters that are not shown. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Whether a client's action would look like one of the service: it begins with the prefix in letters of any
 * case or width, also after white space or among characters that are not shown.
 */
export function isReservedAction(action: string): boolean {
  if (!canBeReserved(action.charCodeAt(0))) return false;
  const seen = action.normalize("NFKC").replaceAll(UNSEEN, "").trimStart().toLowerCase();
  return seen.startsWith(AUDIT_ACTION_PREFIX);
}

/**
 * Whether an action can be reserved that begins with this byte of UTF-8, or this character: nearly every one
 * begins with another letter of ASCII or a digit, and cannot, whatever follows.
 */
export function canBeReserved(first: number): boolean {
  const letter = first | LOWER_CASE;
  return !((letter > LOWER_A && letter <= LOWER_Z) || (first >= ZERO && first <= NINE));
}

/** The bit by which a small letter of ASCII differs from its capital. */
const LOWER_CASE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
