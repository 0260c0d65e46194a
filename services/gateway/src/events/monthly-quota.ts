// The monthly events of the account's plan, as a member of an append: the ledger counts, under the head's
// lock.

import type { Admission } from "../admission/admission.ts";

export function monthlyQuota({ plan: { monthlyEvents } }: Pick<Admission, "plan">) {
  return monthlyEvents === undefined ? {} : { monthlyQuota: monthlyEvents };
}
