// POST /v1/search/fields (docs/search-fields.md): declares a field that filters of events may name.

import { SIMPLE_NAME } from "@annals/contract";
import { invalid } from "@annals/errors";
import { Type } from "typebox";
import { admittedBy } from "../admission/admission.ts";
import { dataOf } from "../render/data.ts";
import { CLOSED, named } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import type { Deps } from "../deps.ts";
import {
  FIELD_MEMBERS,
  FieldName,
  FieldPath,
  FieldTypeBody,
  IgnoreCase,
  renderSearchField,
  SearchFieldBody,
} from "./render-search-field.ts";

const Body = named(
  "NewSearchField",
  Type.Object(
    {
      path: FieldPath,
      type: FieldTypeBody,
      name: Type.Optional(FieldName),
      ignore_case: Type.Optional(IgnoreCase),
    },
    { ...CLOSED, ...FIELD_MEMBERS },
  ),
);

export function createSearchField({ ledger }: Pick<Deps, "ledger">): Route {
  return route({
    summary: "Declare a field of events",
    description:
      "Filters may name it at once. Events that are stored already are put into its index in the background, the " +
      "newest first; until then they are compared one by one.",
    body: Body,
    success: { status: 201, body: dataOf(SearchFieldBody) },
    planLimit: "count",
    handle: async ({ admission, body }) => {
      const { accountId, plan } = admission;
      const { ignore_case: ignoreCase = false, name = "", path, type } = body;
      const request = {
        accountId,
        name,
        path: stepsOf(path),
        type,
        ignoreCase,
        ...(plan.maxSearchFields !== undefined && { maxFields: plan.maxSearchFields }),
      };
      const { field } = await ledger.createSearchField(request, admittedBy(admission));
      return { body: { data: renderSearchField(field) } };
    },
  });
}

function stepsOf(path: string | string[]): string[] {
  if (typeof path !== "string") return path;
  const steps = path.split(".");
  if (steps.every((step) => SIMPLE_NAME.test(step))) return steps;
  const message =
    "must have names of A to Z, a to z, 0 to 9, _ and - with dots between them, or be an array";
  throw invalid({ field: "path", message });
}
