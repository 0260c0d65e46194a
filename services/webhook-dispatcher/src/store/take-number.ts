// Takes the next number of a delivery. If the transaction has locked a webhook, all of the webhook's
// deliveries have smaller numbers, and those that are stored later have greater ones.

import { statement } from "@annals/postgres";

export const takeNumber = statement<[], { readonly number: string }>(
  `/* webhooks.take-number */
SELECT nextval('webhooks.deliveries_number_seq') AS number
`,
  { route: "local" },
);
