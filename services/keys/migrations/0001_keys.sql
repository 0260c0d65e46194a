-- The schema of the keys service: accounts, their API keys and widget tokens, people with their sessions and
-- roles, workloads, the access tokens of both, rate windows, what the audit records of changes, and what keys
-- has signed of the log of evidence.
--
-- The primary key of what belongs to an account begins with it, so that a distributed PostgreSQL shards by
-- it. A person and a session belong to none. The service runs as annals_keys, which owns nothing: it can
-- delete neither an account nor a live key, nor change a key's scopes or secret.

DO $$
BEGIN
  CREATE ROLE annals_keys NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the server: another of its databases has created this one
END
$$;

GRANT annals_keys TO CURRENT_USER;
GRANT USAGE ON SCHEMA keys TO annals_keys;
GRANT SELECT ON keys.migrations TO annals_keys;

CREATE TABLE keys.accounts (
  account_id     text COLLATE "C" PRIMARY KEY,
  name           text NOT NULL,
  created_at     text COLLATE "C" NOT NULL, -- UTC, six fraction digits, as all times of Annals
  -- a name in the operator's file of plans (ANNALS_PLANS_FILE); null for the file's default
  plan           text COLLATE "C",
  -- what the request with an idempotency key asked for that created the account; null for others
  request_sha256 bytea CHECK (octet_length(request_sha256) = 32)
);

-- The right to change a plan is also the right to lock an account's row, which counts its keys exactly.
GRANT SELECT, INSERT, UPDATE (plan, name) ON keys.accounts TO annals_keys;

-- The system account holds what all services record.
INSERT INTO keys.accounts (account_id, name, created_at)
VALUES ('acct_system', 'system', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'));

CREATE TABLE keys.api_keys (
  account_id    text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  id            text COLLATE "C" NOT NULL,
  name          text NOT NULL,
  key_prefix    text NOT NULL,
  secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  scopes        text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at    text COLLATE "C" NOT NULL,
  revoked_at    text COLLATE "C", -- a revoked key stays for its retention, so that an audit of keys can name it
  -- Whether the service made the secret. Only such a key is ever deleted: no one can bring its secret back.
  -- The secret of any other was given by an operator (ANNALS_BOOTSTRAP_KEY) and may be given again, so its
  -- revocation is kept.
  is_minted     boolean NOT NULL DEFAULT false,
  -- the API key that did it; null for the operator
  created_by    text COLLATE "C",
  updated_by    text COLLATE "C",
  revoked_by    text COLLATE "C",
  expires_at    text COLLATE "C", -- null where the key never expires
  -- The networks that it may be used from; null where it may be used from anywhere. A type that takes only
  -- what can be compared: a text that cannot would fail the admission of other keys in the same statement.
  allowed_ips   cidr[] CHECK (cardinality(allowed_ips) BETWEEN 1 AND 50),
  last_used_on  text COLLATE "C", -- the day in UTC, written once a day
  PRIMARY KEY (account_id, id),
  -- Holds whatever the service does: no key can write to the chain of the system account, or make keys and
  -- webhooks.
  CONSTRAINT api_keys_system_reads CHECK (
    account_id <> 'acct_system' OR scopes <@ ARRAY['events:read', 'verify', 'export'])
);

-- Admission knows only the secret. The index is not unique: a distributed table allows that only with the
-- account in it, and 238 random bits need no constraint.
CREATE INDEX api_keys_live_secret ON keys.api_keys (secret_sha256) WHERE revoked_at IS NULL;
-- The live keys of an account, newest first, for its list and their number.
CREATE INDEX api_keys_newest ON keys.api_keys (account_id, created_at, id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_revoked ON keys.api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND is_minted;
-- Keys to mark as revoked when they have expired.
CREATE INDEX api_keys_expiry ON keys.api_keys (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;

-- Holds whatever the service does: a live key is not deleted.
CREATE FUNCTION keys.refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE insufficient_privilege USING MESSAGE = 'only a revoked key whose secret was minted may be deleted';
END
$$;

CREATE TRIGGER api_keys_refuse_deletion BEFORE DELETE ON keys.api_keys FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL OR NOT OLD.is_minted) EXECUTE FUNCTION keys.refuse_deletion();

GRANT SELECT, INSERT, DELETE,
  UPDATE (name, revoked_at, is_minted, updated_by, revoked_by, expires_at, allowed_ips, last_used_on)
  ON keys.api_keys TO annals_keys;

-- People who have logged in with an identity provider of the operator's file (ANNALS_IDENTITY_FILE). A person
-- is an issuer and a subject: name and e-mail are shown, and never compared. No role is stored here: each
-- admission finds it in role_mappings.
CREATE TABLE keys.people (
  id            text COLLATE "C" PRIMARY KEY, -- usr_...
  issuer        text COLLATE "C" NOT NULL,
  subject       text COLLATE "C" NOT NULL CHECK (subject <> '' AND octet_length(subject) <= 1024),
  -- What follows is of the last login. The provider is a name in the file.
  provider      text COLLATE "C" NOT NULL,
  name          text CHECK (char_length(name) <= 255),
  email         text CHECK (char_length(email) <= 255),
  groups        text[] NOT NULL CHECK (cardinality(groups) <= 1000
    AND octet_length(array_to_string(groups, '')) <= 65536),
  created_at    text COLLATE "C" NOT NULL,
  last_login_at text COLLATE "C" NOT NULL,
  blocked_at    text COLLATE "C", -- null for a person who may log in
  UNIQUE (issuer, subject)
);

CREATE INDEX people_newest ON keys.people (created_at, id);
CREATE INDEX people_last_login ON keys.people (last_login_at);

GRANT SELECT, INSERT, DELETE, UPDATE (provider, name, email, groups, last_login_at, blocked_at)
  ON keys.people TO annals_keys;

-- A session of a person in a browser. It is deleted when it ends, and all that it made with it. The cookie
-- has two random halves: the hash of the first is here, and the second is the key of the sealed ID token,
-- which this table alone does not open. Times are those of the database.
CREATE TABLE keys.sessions (
  id              text COLLATE "C" PRIMARY KEY, -- ses_...
  person_id       text COLLATE "C" NOT NULL REFERENCES keys.people ON DELETE CASCADE,
  realm           text COLLATE "C" NOT NULL CHECK (realm IN ('dashboard', 'operator')),
  secret_sha256   bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  -- The half that was replaced, which is valid for a minute more. Its use after that ends the session.
  previous_sha256 bytea CHECK (octet_length(previous_sha256) = 32),
  rotated_at      timestamptz NOT NULL, -- since when secret_sha256 is valid
  provider_sid    text COLLATE "C" CHECK (octet_length(provider_sid) <= 1024), -- the provider's name of it
  sealed_id_token bytea CHECK (octet_length(sealed_id_token) <= 65536),
  created_at      timestamptz NOT NULL,
  idle_at         timestamptz NOT NULL, -- when it ends without further input
  expires_at      timestamptz NOT NULL
);

CREATE INDEX sessions_secret ON keys.sessions (secret_sha256);
CREATE INDEX sessions_previous ON keys.sessions (previous_sha256) WHERE previous_sha256 IS NOT NULL;
CREATE INDEX sessions_of_person ON keys.sessions (person_id, created_at);
CREATE INDEX sessions_of_provider ON keys.sessions (provider_sid) WHERE provider_sid IS NOT NULL;
CREATE INDEX sessions_end ON keys.sessions (least(idle_at, expires_at));

GRANT SELECT, INSERT, DELETE, UPDATE (secret_sha256, previous_sha256, rotated_at, idle_at)
  ON keys.sessions TO annals_keys;

-- What a role of an account is given to: a group of a provider, or a subject.
CREATE TABLE keys.role_mappings (
  account_id text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  id         text COLLATE "C" NOT NULL, -- rmap_...
  provider   text COLLATE "C" NOT NULL, -- a name in the operator's file
  group_name text COLLATE "C",
  subject    text COLLATE "C",
  role       text COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'auditor', 'manager', 'none')),
  created_by text COLLATE "C", -- the API key or the person that made it; null for the operator
  created_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (num_nonnulls(group_name, subject) = 1),
  -- Holds whatever the service does: nobody changes anything in the system account.
  CONSTRAINT role_mappings_system_reads CHECK (account_id <> 'acct_system' OR role <> 'manager')
);

CREATE INDEX role_mappings_newest ON keys.role_mappings (account_id, created_at, id);
-- The accounts in which a person has a role.
CREATE INDEX role_mappings_of_group ON keys.role_mappings (provider, group_name) WHERE group_name IS NOT NULL;
CREATE INDEX role_mappings_of_subject ON keys.role_mappings (provider, subject) WHERE subject IS NOT NULL;

GRANT SELECT, INSERT, DELETE ON keys.role_mappings TO annals_keys;

-- Workloads that an account trusts: programs that prove who they are by a token of their platform.
CREATE TABLE keys.workloads (
  account_id  text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  id          text COLLATE "C" NOT NULL, -- wkl_...
  name        text NOT NULL,
  issuer      text COLLATE "C" NOT NULL, -- a name in the operator's file
  subject     text COLLATE "C" NOT NULL, -- may end with one `*`
  claims      jsonb NOT NULL, -- further claims, each with the only text that is accepted
  scopes      text[] NOT NULL CHECK (cardinality(scopes) > 0),
  allowed_ips cidr[] CHECK (cardinality(allowed_ips) BETWEEN 1 AND 50), -- as in api_keys
  created_by  text COLLATE "C", -- as in role_mappings
  created_at  text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id),
  CONSTRAINT workloads_system_reads CHECK (
    account_id <> 'acct_system' OR scopes <@ ARRAY['events:read', 'verify', 'export'])
);

CREATE INDEX workloads_newest ON keys.workloads (account_id, created_at, id);

GRANT SELECT, INSERT, DELETE ON keys.workloads TO annals_keys;

-- Tokens for the routes of /v1: of a person, made from a session, or of a workload, made by its platform. It
-- ends with its session or its workload. Of a person there is a row for each slot: the next token in a slot
-- takes its place.
CREATE TABLE keys.access_tokens (
  account_id    text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  -- Names the window in which its requests are counted. A person has five in an account: `usr_.../1` to `/5`.
  id            text COLLATE "C" NOT NULL,
  secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  session_id    text COLLATE "C" REFERENCES keys.sessions ON DELETE CASCADE,
  person_id     text COLLATE "C" REFERENCES keys.people ON DELETE CASCADE,
  slot          smallint CHECK (slot BETWEEN 1 AND 5),
  workload_id   text COLLATE "C",
  issuer        text COLLATE "C", -- as the token of the workload names it, and who it says that it is
  subject       text COLLATE "C",
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, workload_id) REFERENCES keys.workloads ON DELETE CASCADE,
  CHECK (CASE WHEN workload_id IS NULL THEN num_nonnulls(session_id, person_id, slot) = 3 AND num_nonnulls(issuer, subject) = 0
    ELSE num_nonnulls(session_id, person_id, slot) = 0 AND num_nonnulls(issuer, subject) = 2 END)
);

CREATE INDEX access_tokens_secret ON keys.access_tokens (secret_sha256);
CREATE INDEX access_tokens_of_session ON keys.access_tokens (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX access_tokens_of_person ON keys.access_tokens (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX access_tokens_of_workload ON keys.access_tokens (account_id, workload_id)
  WHERE workload_id IS NOT NULL;
CREATE INDEX access_tokens_expiry ON keys.access_tokens (expires_at);

GRANT SELECT, INSERT, DELETE, UPDATE (secret_sha256, session_id, created_at, expires_at)
  ON keys.access_tokens TO annals_keys;

-- What is valid once, until it expires: the states of logins, and the ids of logout tokens.
CREATE TABLE keys.used_tokens (
  sha256     bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
  expires_at timestamptz NOT NULL
);

CREATE INDEX used_tokens_expiry ON keys.used_tokens (expires_at);

GRANT SELECT, INSERT, DELETE ON keys.used_tokens TO annals_keys;

-- Tokens for the widget routes. Each shows some of an account's events to browsers, until it expires.
--
-- A token never changes: the service may add it, read it and delete it. It is deleted when it is revoked, and
-- some time after it has expired. It is valid for as long as what made it, too: an API key, a session or a
-- workload. Its requests are counted in rate_windows, by its id.
CREATE TABLE keys.widget_tokens (
  account_id    text COLLATE "C" NOT NULL REFERENCES keys.accounts,
  id            text COLLATE "C" NOT NULL,
  token_prefix  text NOT NULL,
  secret_sha256 bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  filter        bytea NOT NULL CHECK (octet_length(filter) <= 8192), -- annals.ledger.v1.EventFilter
  filter_json   text NOT NULL CHECK (octet_length(filter_json) <= 16384), -- the same as the client sent it
  parts         text[] NOT NULL CHECK (
    parts <@ ARRAY['actor.meta', 'target.meta', 'context', 'diff', 'metadata']),
  origins       text[] NOT NULL CHECK (cardinality(origins) <= 20),
  viewer_id     text, -- the viewer; null if the token names none
  viewer_name   text,
  created_by    text COLLATE "C" NOT NULL, -- the id of the API key, of the person or of the workload
  session_id    text COLLATE "C" REFERENCES keys.sessions ON DELETE CASCADE, -- null unless it is a person's
  created_at    text COLLATE "C" NOT NULL,
  expires_at    text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- Admission knows only the secret, as with API keys.
CREATE INDEX widget_tokens_secret ON keys.widget_tokens (secret_sha256);
CREATE INDEX widget_tokens_newest ON keys.widget_tokens (account_id, created_at, id);
-- The tokens that one key, person or workload has made, for its own list and its share of the account's.
CREATE INDEX widget_tokens_of_key ON keys.widget_tokens (account_id, created_by, created_at, id);
CREATE INDEX widget_tokens_of_session ON keys.widget_tokens (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX widget_tokens_expiry ON keys.widget_tokens (expires_at);

GRANT SELECT, INSERT, DELETE ON keys.widget_tokens TO annals_keys;

-- The window in which the requests of a key or token are counted (interface 3). Unlogged: counting then waits
-- for no disk. A crash of PostgreSQL empties it, which gives every key a fresh window
-- (docs/operators/failures.md).
CREATE UNLOGGED TABLE keys.rate_windows (
  account_id text COLLATE "C" NOT NULL,
  key_id     text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  used       integer NOT NULL, -- requests admitted since started_at
  granted    integer NOT NULL, -- how many of the last group were admitted
  PRIMARY KEY (account_id, key_id)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON keys.rate_windows TO annals_keys;

-- The windows in which the requests of all keys and widget tokens of an account are counted: that of intake
-- is named 'intake', that of all other requests ''. Unlogged, as rate_windows is, and for the same reason. At
-- most two rows an account, so nothing is ever deleted.
CREATE UNLOGGED TABLE keys.account_windows (
  account_id  text COLLATE "C" NOT NULL,
  window_name text COLLATE "C" NOT NULL,
  started_at  timestamptz NOT NULL,
  used        integer NOT NULL, -- requests admitted since started_at
  granted     integer NOT NULL, -- how many of the last group were admitted
  allowed     integer NOT NULL, -- the account's limit when the row was written
  PRIMARY KEY (account_id, window_name)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON keys.account_windows TO annals_keys;

-- Takes out of the window of a key, or of a token, what the window of its account had no room for. Called by
-- the statement that has counted it there, and thus holds the lock of the row. A window without requests has
-- not begun.
CREATE FUNCTION keys.give_back(account_id text, key_id text, requests integer) RETURNS integer
VOLATILE LANGUAGE sql AS $$
  UPDATE keys.rate_windows AS rate_window SET
    used = used - requests,
    granted = granted - requests,
    started_at = CASE WHEN used = requests THEN '-infinity' ELSE started_at END
  WHERE rate_window.account_id = give_back.account_id AND rate_window.key_id = give_back.key_id
  RETURNING used
$$;

-- What this service changes is recorded: an entry for each change, added in its transaction. A worker hands
-- it over to the ledger and then deletes it. `number` is the order of the entries, `id` keeps the ledger from
-- storing one twice.
CREATE TABLE keys.audit_outbox (
  account_id text COLLATE "C" NOT NULL,
  number     bigint GENERATED ALWAYS AS IDENTITY,
  id         text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  event      text NOT NULL, -- JSON
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, number)
);

CREATE INDEX audit_outbox_order ON keys.audit_outbox (number);

GRANT SELECT, INSERT, DELETE ON keys.audit_outbox TO annals_keys;

-- How many changes of an account were recorded in a minute, by action: beyond a number they are only counted
-- (libs/postgres/src/audit-windows.ts). A row is added to in the transaction of the change, and deleted when
-- its minute is over.
CREATE TABLE keys.audit_windows (
  account_id text COLLATE "C" NOT NULL,
  minute     text COLLATE "C" NOT NULL, -- UTC, 2026-01-31T09:30
  action     text COLLATE "C" NOT NULL,
  changes    bigint NOT NULL,
  PRIMARY KEY (account_id, minute, action)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON keys.audit_windows TO annals_keys;

-- What keys has signed of the log of evidence (docs/evidence.md). No other service can write it, so that the
-- ledger alone cannot make keys forget.

CREATE TABLE keys.signed_heads (
  -- of the head log
  origin    text COLLATE "C" PRIMARY KEY,
  size      bigint NOT NULL CHECK (size > 0),
  root      bytea NOT NULL CHECK (octet_length(root) = 32),
  signed_at timestamptz NOT NULL,
  -- the log that follows this one, from which on nothing of this one is signed
  succeeded_by text COLLATE "C"
);

-- One log continues. Two processes that sign the first head of two logs find it here.
CREATE UNIQUE INDEX signed_heads_current ON keys.signed_heads ((true)) WHERE succeeded_by IS NULL;

GRANT SELECT, INSERT, UPDATE ON keys.signed_heads TO annals_keys;

-- The public keys that have signed, in the order in which they came. One may only be left out once the next
-- one has signed for the time of the overlap.
CREATE TABLE keys.log_keys (
  public_key bytea PRIMARY KEY CHECK (octet_length(public_key) = 32),
  first_used_at timestamptz NOT NULL,
  -- since when a newer key signs beside it
  superseded_at timestamptz
);

GRANT SELECT, INSERT, UPDATE (superseded_at) ON keys.log_keys TO annals_keys;

-- What requests with an idempotency key have created, so that a retry gets it again (libs/postgres/src/idempotent-requests.ts).
CREATE TABLE keys.idempotent_requests (
  account_id      text COLLATE "C" NOT NULL,
  operation       text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_sha256  bytea NOT NULL CHECK (octet_length(request_sha256) = 32),
  -- what was created, without its secrets
  response        bytea NOT NULL,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (account_id, operation, idempotency_key)
);

CREATE INDEX idempotent_requests_created_at ON keys.idempotent_requests (created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON keys.idempotent_requests TO annals_keys;
