// The filter of something that is stored: an export, a widget token. Called by the routes that make them. The
// ledger says what the fields that it names are, so that it selects the same when one of them is deleted.

import { type EventFilter, EventFilterSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import type { Static } from "typebox";
import { type Admission, admittedBy } from "../admission/admission.ts";
import type { Deps } from "../deps.ts";
import { bodyFilterRequest, namesFields } from "./event-query.ts";
import type { SearchFilterBody } from "./render-event-filter.ts";

/** Throws `invalid` for a field that is not declared, and for a value that its type does not have. */
export async function storedFilter(
  { ledger }: Pick<Deps, "ledger">,
  admission: Admission,
  given: Static<typeof SearchFilterBody>,
  signal: AbortSignal,
): Promise<EventFilter> {
  const filter = create(EventFilterSchema, bodyFilterRequest(given));
  if (!namesFields(filter)) return filter;
  const request = { accountId: admission.accountId, filter };
  const response = await ledger.resolveFilter(request, admittedBy(admission, signal));
  return response.filter ?? filter;
}
