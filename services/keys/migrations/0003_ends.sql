-- Revoked keys end after their retention, windows of keys that nobody uses after a day. And accounts may be renamed.
--
-- is_minted: whether the service made the secret. Only such a key is ever deleted: no one can bring its secret back.
--   The secret of any other was given by an operator (ANNALS_BOOTSTRAP_KEY) and may be given again, so its revocation is
--   kept. Keys of earlier releases count as given.
--
-- The service gets the right to delete keys. The trigger holds whatever the service does: a live key is not deleted.

ALTER TABLE keys.api_keys ADD COLUMN is_minted boolean NOT NULL DEFAULT false;

CREATE INDEX api_keys_revoked ON keys.api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND is_minted;

CREATE FUNCTION keys.refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE insufficient_privilege USING MESSAGE = 'only a revoked key whose secret was minted may be deleted';
END
$$;

CREATE TRIGGER api_keys_refuse_deletion BEFORE DELETE ON keys.api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL OR NOT OLD.is_minted) EXECUTE FUNCTION keys.refuse_deletion();

GRANT DELETE, UPDATE (is_minted) ON keys.api_keys TO annals_keys;
GRANT DELETE ON keys.rate_windows TO annals_keys;
GRANT UPDATE (name) ON keys.accounts TO annals_keys;
