// Takes the next number of a delivery. In a transaction that has locked a webhook, all of its deliveries have
// smaller ones, and those that are stored after it have greater ones.

import { statement } from "@annals/postgres";

export const takeNumber = statement<[], { readonly number: string }>(`/* webhooks.take-number */
SELECT nextval('webhooks.deliveries_number_seq') AS number
`);
