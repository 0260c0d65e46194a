// Which of many accounts have an active webhook that subscribes to an event: their ordinals in the given
// list, from 1.

import { statement } from "@annals/postgres";

type Params = [accountIds: readonly string[], events: readonly string[]];

export const findSubscribed = statement<
  Params,
  { readonly ordinal: number }
>(`/* webhooks.find-subscribed */
SELECT given.ordinal::integer AS ordinal
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (account_id, event, ordinal)
WHERE EXISTS (
  SELECT FROM webhooks.webhooks AS webhook
  WHERE webhook.account_id = given.account_id AND webhook.active AND webhook.deleted_at IS NULL
    AND webhook.events && ARRAY[given.event, '*'])
`);
