// The API keys that are live: neither revoked nor expired, by the database's clock. Called by every statement
// that admits, lists, counts or changes keys. The worker that sweeps keys marks those that have expired as
// revoked, and no statement may depend on when it does.

const NOT_EXPIRED = `(api_keys.expires_at IS NULL OR api_keys.expires_at::timestamptz > clock_timestamp())`;

/** A condition on rows of keys.api_keys. */
export const LIVE_KEY = `api_keys.revoked_at IS NULL
    AND ${NOT_EXPIRED}`;

/**
 * The same where one key is looked up by its id: the index of live keys by their times, which is read for all
 * keys of the account then, does not fit it.
 */
export const LIVE_KEY_BY_ID = `num_nulls(api_keys.revoked_at) = 1
    AND ${NOT_EXPIRED}`;
