-- What the deliveries of an entry have in common is stored once, however many webhooks receive it.
--
-- The release before finds bodies in the deliveries, and may run beside this one during an upgrade. What it stores,
-- this release reads as before. What this release stores, a trigger completes when the release before claims it.

CREATE SEQUENCE webhooks.payload_numbers;
GRANT USAGE ON SEQUENCE webhooks.payload_numbers TO annals_webhooks;

CREATE TABLE webhooks.payloads (
  account_id text COLLATE "C" NOT NULL,
  number     bigint NOT NULL,
  tail       text NOT NULL, -- of the body, after the id
  PRIMARY KEY (account_id, number)
);

-- Rows are inserted and deleted within minutes.
ALTER TABLE webhooks.payloads SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0
);

GRANT SELECT, INSERT, DELETE ON webhooks.payloads TO annals_webhooks;

ALTER TABLE webhooks.deliveries
  ADD COLUMN payload_number bigint, -- null: the delivery has its own body
  ADD COLUMN payload_fence bigint; -- the last claim by a release that reads payloads

-- Whether a payload is still needed.
CREATE INDEX deliveries_payload ON webhooks.deliveries (account_id, payload_number)
  WHERE due_at IS NOT NULL AND payload_number IS NOT NULL;

CREATE FUNCTION webhooks.complete_body() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT convert_to('{"id":"' || NEW.payload_id || '"' || payload.tail, 'UTF8') INTO NEW.body
  FROM webhooks.payloads AS payload
  WHERE payload.account_id = NEW.account_id AND payload.number = NEW.payload_number;
  RETURN NEW;
END
$$;

-- Only claims of the release before meet the condition. A later release drops it.
CREATE TRIGGER complete_body BEFORE UPDATE OF leased ON webhooks.deliveries
FOR EACH ROW
WHEN (NEW.leased AND NEW.payload_number IS NOT NULL AND NEW.payload_fence IS DISTINCT FROM NEW.fence)
EXECUTE FUNCTION webhooks.complete_body();
