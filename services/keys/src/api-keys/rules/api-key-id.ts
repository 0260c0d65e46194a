// The shape of a key's id. Ids come from clients: a text that cannot be one names no key and need not
// reach the database, which cannot hold every text.

const SHAPE = /^key_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether `text` may be the id of a key. */
export function isApiKeyId(text: string): boolean {
  return SHAPE.test(text);
}
