// The answer of a route of intake (docs/intake.md): its schema. Used by the routes of intake.

import { Type } from "typebox";
import { dataOf } from "../render/data.ts";
import { Count, named } from "../render/schema.ts";

export const IntakeResultBody = dataOf(
  named(
    "IntakeResult",
    Type.Object({
      stored: Count({ description: "Items that were stored now.", examples: [398] }),
      replayed: Count({ description: "Items that an earlier request had stored.", examples: [0] }),
      reduced: Count({
        description: "Items among the stored ones of which something large was left out.",
        examples: [1],
      }),
      skipped: Count({ description: "Items that are no events.", examples: [2] }),
      rejected: Count({ description: "Items that cannot be stored.", examples: [1] }),
      first_rejections: Type.Array(
        Type.Object({
          index: Count({ description: "Of the item in the body, from 0.", examples: [7] }),
          reason: Type.String({ examples: ["auditID is required"] }),
        }),
        { maxItems: 10 },
      ),
    }),
  ),
);
