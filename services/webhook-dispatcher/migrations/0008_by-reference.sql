-- A delivery of an event names its position in the chain, and its body is read when it is sent. Other deliveries
-- have their small body with them. `webhooks.payloads` keeps only what an earlier release stored, until that is sent.

ALTER TABLE webhooks.deliveries
  ADD COLUMN bytes integer; -- of the body; null where an earlier release stored it

-- A range is replayed only to a webhook that has taken a delivery. Null before that, and again with another URL.
ALTER TABLE webhooks.webhooks
  ADD COLUMN first_success_at timestamptz;
