// The shape of a workload's id. Ids come from clients: a text that cannot be one need not reach the database,
// which cannot hold every text.

const SHAPE = /^wkl_[0-9a-hjkmnp-tv-z]{26}$/;

export function isWorkloadId(text: string): boolean {
  return SHAPE.test(text);
}
