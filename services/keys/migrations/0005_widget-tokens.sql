-- Tokens for the widget routes. Each shows some of an account's events to the browsers of people, and ends by
-- itself.
--
-- A token never changes: the service may add it, read it and delete it. It is deleted when it is revoked, and
-- some time after it has expired. It is valid for as long as the API key that made it, too. Its requests are
-- counted in rate_windows, by its id.
--
-- filter:      an EventFilter of annals.ledger.v1 in binary, what the ledger applies
-- filter_json: the same as the client sent it, to be shown

CREATE TABLE keys.widget_tokens (
  account_id    text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  id            text COLLATE "C" NOT NULL,
  token_prefix  text NOT NULL,
  secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  filter        bytea NOT NULL CHECK (octet_length(filter) <= 8192),
  filter_json   text NOT NULL CHECK (octet_length(filter_json) <= 16384),
  parts         text[] NOT NULL CHECK (
    parts <@ ARRAY['actor.meta', 'target.meta', 'context', 'diff', 'metadata']),
  origins       text[] NOT NULL CHECK (cardinality(origins) <= 20),
  viewer_id     text, -- who looks; null where nobody was named
  viewer_name   text,
  created_by    text COLLATE "C" NOT NULL, -- the id of the API key
  created_at    text COLLATE "C" NOT NULL,
  expires_at    text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- Admission knows only the secret, as with API keys.
CREATE INDEX widget_tokens_secret ON keys.widget_tokens (secret_sha256);
CREATE INDEX widget_tokens_newest ON keys.widget_tokens (account_id, created_at, id);
CREATE INDEX widget_tokens_expiry ON keys.widget_tokens (expires_at);

GRANT SELECT, INSERT, DELETE ON keys.widget_tokens TO annals_keys;
