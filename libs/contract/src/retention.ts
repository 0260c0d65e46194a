// The bounds of retention, in days. The database deletes nothing that is younger than two days
// (docs/lifecycle.md).

export const MIN_RETENTION_DAYS = 2;
export const MAX_RETENTION_DAYS = 36_500;
