// The limits of what an account may add to an API key. Read by the gateway, which describes them, and by
// keys, which checks them.

/** Longest time from now until a key expires. */
export const MAX_KEY_LIFETIME_DAYS = 3_650;
/** Addresses and networks that a key may be used from. */
export const MAX_ALLOWED_IPS = 50;
