-- Limits of an account: a rate window of its own, pages of its keys, and what an operator's request asked for.
--
-- account_windows: the window in which the requests of all keys and widget tokens of an account are counted.
--   Unlogged, as rate_windows is, and for the same reason. One row an account, so nothing is ever deleted.
--   `allowed` is the account's limit when the row was written.
-- give_back: takes out of the window of a key, or of a token, what the window of its account had no room for.
--   Called by the statement that has counted it there, and thus holds the lock of the row. A window without
--   requests has not begun.
-- request_sha256: what the request that made the account with an idempotency key asked for; null for others.

CREATE UNLOGGED TABLE keys.account_windows (
  account_id text COLLATE "C" PRIMARY KEY,
  started_at timestamptz NOT NULL,
  used       integer NOT NULL, -- requests admitted since started_at
  granted    integer NOT NULL, -- how many of the last group were admitted
  allowed    integer NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON keys.account_windows TO annals_keys;

CREATE FUNCTION keys.give_back(account_id text, key_id text, requests integer) RETURNS integer
VOLATILE LANGUAGE sql AS $$
  UPDATE keys.rate_windows AS rate_window SET
    used = used - requests,
    granted = granted - requests,
    started_at = CASE WHEN used = requests THEN '-infinity' ELSE started_at END
  WHERE rate_window.account_id = give_back.account_id AND rate_window.key_id = give_back.key_id
  RETURNING used
$$;

-- The live keys of an account, newest first, for its list and their number.
CREATE INDEX api_keys_newest ON keys.api_keys (account_id, created_at, id) WHERE revoked_at IS NULL;

-- The tokens that one key has made, for its own list and its share of the account's.
CREATE INDEX widget_tokens_of_key ON keys.widget_tokens (account_id, created_by, created_at, id);

ALTER TABLE keys.accounts
  ADD COLUMN request_sha256 bytea CHECK (octet_length(request_sha256) = 32);
