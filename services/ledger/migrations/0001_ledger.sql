-- The chain of each account, the parts of events that can be erased, the chain heads, and the idempotency keys.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs as
-- annals_ledger, which owns nothing: on the chain and the payloads it has INSERT and SELECT and no other right, so
-- that no fault of ours can change or delete what was stored.

DO $$
BEGIN
  CREATE ROLE annals_ledger NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the whole server; another database of it made this one
END
$$;

GRANT annals_ledger TO CURRENT_USER;
GRANT USAGE ON SCHEMA ledger TO annals_ledger;
GRANT SELECT ON ledger.migrations TO annals_ledger;

-- What the hash covers. Times are the text that was hashed: UTC, six fraction digits, in byte order as in time order.
CREATE TABLE ledger.chain (
  account_id      text COLLATE "C" NOT NULL,
  sequence_number bigint NOT NULL CHECK (sequence_number > 0),
  id              text COLLATE "C" NOT NULL,
  action          text COLLATE "C" NOT NULL,
  occurred_at     text COLLATE "C" NOT NULL,
  received_at     text COLLATE "C" NOT NULL,
  created_at      text COLLATE "C" NOT NULL,
  -- SHA-256 of actor, context, diff, metadata, target, in this order
  digests         bytea NOT NULL CHECK (octet_length(digests) = 160),
  previous_hash   bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
  hash            bytea NOT NULL CHECK (octet_length(hash) = 32),
  CONSTRAINT chain_sequence_number PRIMARY KEY (account_id, sequence_number),
  -- No event has two successors: a fork is refused even where the lock on the head has failed.
  CONSTRAINT chain_previous_hash UNIQUE (account_id, previous_hash)
);

CREATE INDEX chain_action ON ledger.chain (account_id, action, sequence_number);

GRANT SELECT, INSERT ON ledger.chain TO annals_ledger;

-- What can hold personal data: the canonical text that the digests cover, with the salts.
CREATE TABLE ledger.payloads (
  account_id      text COLLATE "C" NOT NULL,
  sequence_number bigint NOT NULL,
  actor           text NOT NULL,
  context         text NOT NULL,
  diff            text NOT NULL,
  metadata        text NOT NULL,
  target          text NOT NULL,
  -- of actor, context, diff, metadata, target, in this order
  salts           bytea NOT NULL CHECK (octet_length(salts) = 80),
  -- copies of members of actor and target, for filters; verification compares them
  actor_id        text COLLATE "C",
  actor_type      text COLLATE "C",
  target_id       text COLLATE "C",
  target_type     text COLLATE "C",
  PRIMARY KEY (account_id, sequence_number)
);

CREATE INDEX payloads_actor_id ON ledger.payloads (account_id, actor_id, sequence_number) WHERE actor_id IS NOT NULL;
CREATE INDEX payloads_actor_type ON ledger.payloads (account_id, actor_type, sequence_number) WHERE actor_type IS NOT NULL;
CREATE INDEX payloads_target_id ON ledger.payloads (account_id, target_id, sequence_number) WHERE target_id IS NOT NULL;
CREATE INDEX payloads_target_type ON ledger.payloads (account_id, target_type, sequence_number) WHERE target_type IS NOT NULL;

GRANT SELECT, INSERT ON ledger.payloads TO annals_ledger;

-- The last event of each chain; sequence number 0 and 32 zero bytes before the first. Whoever appends holds this row's
-- lock: it always exists, so there is always something to lock.
CREATE TABLE ledger.heads (
  account_id      text COLLATE "C" PRIMARY KEY,
  sequence_number bigint NOT NULL CHECK (sequence_number >= 0),
  hash            bytea NOT NULL CHECK (octet_length(hash) = 32)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.heads TO annals_ledger;

-- Stored in the append's own transaction: a client that lost the answer asks again and adds nothing.
CREATE TABLE ledger.idempotency_keys (
  account_id            text COLLATE "C" NOT NULL,
  idempotency_key       text COLLATE "C" NOT NULL,
  request_sha256        bytea NOT NULL CHECK (octet_length(request_sha256) = 32),
  first_sequence_number bigint NOT NULL,
  event_count           integer NOT NULL,
  created_at            timestamptz NOT NULL,
  PRIMARY KEY (account_id, idempotency_key)
);

CREATE INDEX idempotency_keys_created_at ON ledger.idempotency_keys (created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.idempotency_keys TO annals_ledger;
