// The pages of lists (docs/interface.md): the parameters that choose one, and its body. The lists of
// events, exports and deliveries share them.

import { Type, type TSchema } from "typebox";
import { named, Nullable, openDetail } from "./schema.ts";

const PAGES = openDetail("pages");

/** Default entries of a page. */
export const DEFAULT_LIMIT = 50;

const Cursor = { pattern: "^[A-Za-z0-9_-]+$", examples: ["MS40Mi4zYjBjNDQyOThmYzFjMTQ5"] };

/** Entries of a page at most, and by default of lists that are short as a rule. */
export const MAX_LIMIT = 100;

const limitWith = (fallback: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Default: ${fallback}.`,
      examples: [20],
      ...PAGES,
    }),
  );

export const pageMembers = {
  limit: limitWith(DEFAULT_LIMIT),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: "The next_cursor of the previous page; use it with the same filters.",
      ...Cursor,
      ...PAGES,
    }),
  ),
};

/** The same with the largest page by default. */
export const largePageMembers = { ...pageMembers, limit: limitWith(MAX_LIMIT) };

/** The members next to the data in the body of a page. */
export const pageEnd = {
  has_more: Type.Boolean({
    description:
      "Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this member only.",
    ...PAGES,
  }),
  next_cursor: Nullable(Type.String(Cursor), {
    description: "The cursor of the next page; null on the last page.",
    ...PAGES,
  }),
};

export const pageOf = <T extends TSchema>(name: string, schema: T) =>
  named(name, Type.Object({ data: Type.Array(schema), ...pageEnd }));

/** A page as a service returns it: `next` is empty on the last one. */
export function renderPage<T>(data: readonly T[], next: string) {
  const isLast = next === "";
  return { data, has_more: !isLast, next_cursor: isLast ? null : next };
}
