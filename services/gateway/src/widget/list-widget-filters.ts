// GET /v1/widget/filters (docs/interface.md): the actions and types that a reader can choose from.

import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { named, openDetail } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";

const VALUES = openDetail("filter-values");

const Values = (description: string, example: readonly string[]) =>
  Type.Array(Type.String(), { description, examples: [example], ...VALUES });

const Filters = named(
  "WidgetFilters",
  Type.Object({
    actions: Values("At most 200.", ["invoice.create", "invoice.update"]),
    actor_types: Values("At most 200.", ["service", "user"]),
    target_types: Values("At most 200.", ["invoice"]),
    truncated: Type.Boolean({
      description: "Whether there may be more values: in older events, or beyond the first 200.",
      examples: [false],
      ...VALUES,
    }),
  }),
);

export function listWidgetFilters({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List the values to filter by",
    description:
      "The distinct actions and types of the newest events that the token can see: at most 3,000 events, or " +
      "fewer if its filter excludes most of them.",
    success: { status: 200, body: dataOf(Filters) },
    handle: async ({ admission, signal }) => {
      const { accountId } = admission;
      const found = await ledger.listWidgetFilters({ accountId }, admittedBy(admission, signal));
      return {
        body: {
          data: {
            actions: found.actions,
            actor_types: found.actorTypes,
            target_types: found.targetTypes,
            truncated: found.isTruncated,
          },
        },
      };
    },
  });
}
