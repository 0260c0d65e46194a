// GET /v1/search/paths (docs/search-fields.md): the paths that the newest events have, which may be declared.

import { SIMPLE_NAME } from "@annals/contract";
import type { ListSearchPathsResponse } from "@annals/proto/ledger";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import { FIELD_MEMBERS, FieldPath, FieldTypeBody } from "./render-search-field.ts";

const SearchPath = named(
  "SearchPath",
  Type.Object(
    {
      path: FieldPath,
      type: FieldTypeBody,
      share: Type.Number({
        minimum: 0,
        maximum: 1,
        description: "How many of the events that were read have a value there.",
        examples: [0.75],
      }),
    },
    FIELD_MEMBERS,
  ),
);

export function listSearchPaths({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "List paths of events",
    description:
      "The paths of the newest 1,000 events, or of fewer after 1 MiB of parts: at most 200, the most frequent " +
      "first. Each has the type of all its values.",
    success: { status: 200, body: dataOf(Type.Array(SearchPath)) },
    handle: async ({ admission, signal }) => {
      const { accountId } = admission;
      const found = await ledger.listSearchPaths({ accountId }, admittedBy(admission, signal));
      return { body: { data: renderPaths(found) } };
    },
  });
}

const DIGITS = 10_000;

function renderPaths({ events, paths }: ListSearchPathsResponse) {
  return paths.map(({ events: own, path, type }) => ({
    path: path.every((step) => SIMPLE_NAME.test(step)) ? path.join(".") : path,
    type,
    share: Math.round((own / events) * DIGITS) / DIGITS,
  }));
}
