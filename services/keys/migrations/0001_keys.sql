-- Accounts, their API keys, and the rate window of each key.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs as
-- annals_keys, which owns nothing: it cannot delete an account or a key, nor change a key's scopes or secret.

DO $$
BEGIN
  CREATE ROLE annals_keys NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the whole server; another database of it made this one
END
$$;

GRANT annals_keys TO CURRENT_USER;
GRANT USAGE ON SCHEMA keys TO annals_keys;
GRANT SELECT ON keys.migrations TO annals_keys;

CREATE TABLE keys.accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  name       text NOT NULL,
  created_at text COLLATE "C" NOT NULL -- UTC, six fraction digits, as all times of Annals
);

GRANT SELECT, INSERT ON keys.accounts TO annals_keys;

CREATE TABLE keys.api_keys (
  account_id    text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  id            text COLLATE "C" NOT NULL,
  name          text NOT NULL,
  key_prefix    text NOT NULL,
  secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  scopes        text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at    text COLLATE "C" NOT NULL,
  revoked_at    text COLLATE "C", -- a revoked key stays, so that an audit of keys can name it
  PRIMARY KEY (account_id, id)
);

-- Admission knows only the secret. The index is not unique: a distributed table allows that only with the account in
-- it, and 238 random bits need no constraint.
CREATE INDEX api_keys_live_secret ON keys.api_keys (secret_sha256) WHERE revoked_at IS NULL;

GRANT SELECT, INSERT ON keys.api_keys TO annals_keys;
GRANT UPDATE (name, revoked_at) ON keys.api_keys TO annals_keys;

-- The window in which a key's requests are counted (interface 3). Unlogged: counting then waits for no disk. A crash of
-- PostgreSQL empties it, which gives every key a fresh window; docs/operating.md says so.
CREATE UNLOGGED TABLE keys.rate_windows (
  account_id text COLLATE "C" NOT NULL,
  key_id     text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  used       integer NOT NULL, -- requests admitted since started_at
  granted    integer NOT NULL, -- how many of the last group were admitted
  PRIMARY KEY (account_id, key_id)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON keys.rate_windows TO annals_keys;
