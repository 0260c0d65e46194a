// The shape of a widget token's id. Ids come from clients: a text that cannot be one need not reach the
// database, which cannot hold every text.

const SHAPE = /^wtok_[0-9a-hjkmnp-tv-z]{26}$/;

export function isWidgetTokenId(text: string): boolean {
  return SHAPE.test(text);
}
