// What the services record of themselves: the account whose chain holds it, and the beginning of the actions.
// Called by keys, which makes the account, and by the ledger, which appends to its chain.

/**
 * The system account. Its id is no id that `newId` can make. Keys can read its chain, verify and export it,
 * and nothing else; only the ledger itself appends to it.
 */
export const SYSTEM_ACCOUNT_ID = "acct_system";

/** How the actions of recorded changes begin: `annals.key.created`. */
export const AUDIT_ACTION_PREFIX = "annals.";
