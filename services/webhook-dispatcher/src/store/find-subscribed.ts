// Which of many accounts have an active webhook that asks for an event: their places in what was given,
// from 1.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[], events: readonly string[]];

export const findSubscribed = statement<
  Params,
  { readonly place: number }
>(`/* webhooks.find-subscribed */
SELECT given.place::integer AS place
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (account_id, event, place)
WHERE EXISTS (
  SELECT FROM webhooks.webhooks AS webhook
  WHERE webhook.account_id = given.account_id AND webhook.active AND webhook.deleted_at IS NULL
    AND webhook.events && ARRAY[given.event, '*'])
`);
