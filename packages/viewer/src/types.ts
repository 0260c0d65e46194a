// What a page that embeds the viewer may use, as types. It imports nothing: they are published.

/** A JSON value, as events have it. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };
