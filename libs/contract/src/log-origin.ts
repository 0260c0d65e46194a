// The origin of the head log, which is the name of its keys and the first line of its checkpoints. Read by
// the settings of the ledger, and by keys before it signs.

/**
 * A checkpoint of an account has the origin `<log origin>/<account id>`, which has at most 255 bytes. So no
 * origin of a log may look like one of an account.
 */
export const LOG_ORIGIN = /^(?!.*\/acct_)[A-Za-z0-9][A-Za-z0-9._:/-]{0,125}$/;

/** The accounts whose checkpoints are signed. */
export const LOG_CHAIN = /^acct_[0-9A-Za-z_-]{1,123}$/;
