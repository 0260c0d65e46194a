// The pages of lists (docs/open-details.md): the parameters that choose one, and its body. The lists of
// events, exports and deliveries share them.

import { Type, type TSchema } from "typebox";

const MAX_LIMIT = 100;

/** Default entries of a page. */
export const DEFAULT_LIMIT = 50;

const open = { "x-annals-open-detail": true };

export const pageMembers = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `By default ${DEFAULT_LIMIT}.`,
      ...open,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: "The next_cursor of the page before, with the same filters where there are any.",
      ...open,
    }),
  ),
};

/** Beside the data in the body of a page. */
export const pageEnd = {
  has_more: Type.Boolean(open),
  next_cursor: Type.Union([Type.String(), Type.Null()], open),
};

export const pageOf = <T extends TSchema>(schema: T) =>
  Type.Object({ data: Type.Array(schema), ...pageEnd });
