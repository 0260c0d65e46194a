// The limits of the values that a filter of events has. Read by the gateway, which checks and describes them,
// and by the webhook dispatcher, which checks them again.

/** Values of one member of a filter. */
export const MAX_FILTER_VALUES = 10;
/** Characters of a value. */
export const MAX_FILTER_VALUE_LENGTH = 256;
/** Values of all members together: each event is compared with all of them. */
export const MAX_ALL_FILTER_VALUES = 20;
/** Different declared fields that the filters of an account's webhooks name. */
export const MAX_WEBHOOK_FIELDS = 16;
/** Bytes of the filter of a webhook as JSON. */
export const MAX_WEBHOOK_FILTER_BYTES = 4_096;
