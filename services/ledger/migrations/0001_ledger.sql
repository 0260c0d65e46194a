-- The schema of the ledger: the events of each account's chain, the head of each chain, the filter index, the
-- idempotency keys, and what the service knows of its verifications.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs
-- as annals_ledger, which owns nothing: on the events it has INSERT and SELECT and no other right, so that no
-- fault of the service can change or delete what was stored.

DO $$
BEGIN
  CREATE ROLE annals_ledger NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- roles belong to the server: another of its databases has created this one
END
$$;

GRANT annals_ledger TO CURRENT_USER;
GRANT USAGE ON SCHEMA ledger TO annals_ledger;
GRANT SELECT ON ledger.migrations TO annals_ledger;

-- The events (docs/hash-chain.md). The leaf, which the hash covers, has the columns from account_id to
-- previous_hash. Times are the text that was hashed: UTC with six fraction digits, so byte order is time
-- order.
CREATE TABLE ledger.events (
  account_id      text COLLATE "C" NOT NULL,
  sequence_number bigint NOT NULL CHECK (sequence_number > 0),
  id              text COLLATE "C" NOT NULL,
  action          text COLLATE "C" NOT NULL,
  occurred_at     text COLLATE "C" NOT NULL,
  received_at     text COLLATE "C" NOT NULL,
  created_at      text COLLATE "C" NOT NULL,
  -- SHA-256 of actor, context, diff, metadata, target, in this order, each with its salt
  digests         bytea NOT NULL CHECK (octet_length(digests) = 160),
  previous_hash   bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
  hash            bytea NOT NULL CHECK (octet_length(hash) = 32),
  -- the five parts, which can hold personal data: the canonical text that the digests cover
  actor           text NOT NULL,
  context         text NOT NULL,
  diff            text NOT NULL,
  metadata        text NOT NULL,
  target          text NOT NULL,
  -- of actor, context, diff, metadata, target, in this order
  salts           bytea NOT NULL CHECK (octet_length(salts) = 80),
  -- copies of members of actor and target, for filters: verification compares them
  actor_id        text COLLATE "C",
  actor_type      text COLLATE "C",
  target_id       text COLLATE "C",
  target_type     text COLLATE "C",
  -- the API key that the event was stored with, outside of the hash; null for an event that no key stored
  key_id          text COLLATE "C",
  CONSTRAINT events_sequence_number PRIMARY KEY (account_id, sequence_number)
) WITH (
  -- Events that fit into a page are not compressed: compression takes more CPU than the bytes are worth.
  toast_tuple_target = 8160,
  -- Statistics follow new accounts: by default PostgreSQL takes an account for empty until a tenth of the
  -- table has changed, and a list of its events may then read all of them.
  autovacuum_analyze_scale_factor = 0.01,
  autovacuum_analyze_threshold = 5000
);

GRANT SELECT, INSERT ON ledger.events TO annals_ledger;

-- The last event of each chain; number 0 and 32 zero bytes before the first. An append holds this row's lock:
-- the row always exists, so there is always something to lock.
CREATE TABLE ledger.heads (
  account_id      text COLLATE "C" PRIMARY KEY,
  sequence_number bigint NOT NULL CHECK (sequence_number >= 0),
  hash            bytea NOT NULL CHECK (octet_length(hash) = 32),
  -- of the last append's created_at, YYYY-MM in UTC; empty before the first
  month           text COLLATE "C" NOT NULL DEFAULT '',
  -- the last event before that month: numbers have no gaps, so this is what a monthly quota counts from
  month_start     bigint NOT NULL DEFAULT 0
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

-- Appends events to a chain and moves its head, or stores nothing and returns false: if the head is not the
-- one that the hashes were computed from, if the last event of the chain is not the one at the head, or if an
-- idempotency key is in use. It checks before it writes. What it checks changes only together with the head,
-- and the UPDATE, which waits for the head's row lock, requires that the head is still the same. The check of
-- the last event keeps an event from having two successors, even if the lock has failed.
--
-- Every statement names the one account, so a distributed PostgreSQL runs the whole call where it is stored.
CREATE FUNCTION ledger.append(
  of_account         text,
  head_sequence      bigint,  -- sequence number of the head before
  hashes             bytea,   -- 32 bytes each: of the head before, then of each event
  ids                text[],
  actions            text[],
  occurred_ats       text[],
  received_ats       text[],
  created            text,
  event_digests      bytea,   -- 160 bytes per event
  actors             text[],
  contexts           text[],
  diffs              text[],
  metadatas          text[],
  targets            text[],
  event_salts        bytea,   -- 80 bytes per event
  actor_ids          text[],
  actor_types        text[],
  target_ids         text[],
  target_types       text[],
  key_ids            text[],
  new_keys           text[],  -- idempotency keys to remember
  request_sha256s    bytea,   -- 32 bytes per key
  first_sequences    bigint[],
  event_counts       integer[],
  current_month      text,    -- YYYY-MM
  start_of_month     bigint   -- the last event before the month
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  added CONSTANT integer := cardinality(ids);
  hash_before CONSTANT bytea := substring(hashes FROM 1 FOR 32);
BEGIN
  IF NOT coalesce((
    SELECT sequence_number = head_sequence AND hash = hash_before
    FROM ledger.events
    WHERE account_id = of_account
    ORDER BY sequence_number DESC
    LIMIT 1
  ), head_sequence = 0) THEN
    RETURN false;
  END IF;

  IF cardinality(new_keys) > 0 AND EXISTS (
    SELECT 1 FROM ledger.idempotency_keys
    WHERE account_id = of_account
      AND idempotency_key = ANY (new_keys)
      AND created_at > now() - interval '24 hours'
  ) THEN
    RETURN false;
  END IF;

  UPDATE ledger.heads SET
    sequence_number = head_sequence + added,
    hash = substring(hashes FROM added * 32 + 1 FOR 32),
    month = current_month,
    month_start = start_of_month
  WHERE account_id = of_account AND sequence_number = head_sequence AND hash = hash_before;
  IF NOT FOUND THEN
    RETURN false;
  END IF;

  -- VALUES is cheaper for one event: a distributed PostgreSQL passes it on without reading it.
  IF added = 1 THEN
    INSERT INTO ledger.events (
      account_id, sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
      actor, context, diff, metadata, target, salts, actor_id, actor_type, target_id, target_type, key_id)
    VALUES (
      of_account, head_sequence + 1, ids[1], actions[1], occurred_ats[1], received_ats[1], created, event_digests,
      hash_before, substring(hashes FROM 33 FOR 32), actors[1], contexts[1], diffs[1], metadatas[1], targets[1],
      event_salts, actor_ids[1], actor_types[1], target_ids[1], target_types[1], key_ids[1]);
  ELSE
    INSERT INTO ledger.events (
      account_id, sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
      actor, context, diff, metadata, target, salts, actor_id, actor_type, target_id, target_type, key_id)
    SELECT of_account, head_sequence + n, id, action, occurred_at, received_at, created,
      substring(event_digests FROM n::integer * 160 - 159 FOR 160),
      substring(hashes FROM n::integer * 32 - 31 FOR 32),
      substring(hashes FROM n::integer * 32 + 1 FOR 32),
      actor, context, diff, metadata, target,
      substring(event_salts FROM n::integer * 80 - 79 FOR 80),
      actor_id, actor_type, target_id, target_type, key_id
    FROM unnest(
      ids, actions, occurred_ats, received_ats, actors, contexts, diffs, metadatas, targets, actor_ids,
      actor_types, target_ids, target_types, key_ids) WITH ORDINALITY AS given (
      id, action, occurred_at, received_at, actor, context, diff, metadata, target, actor_id,
      actor_type, target_id, target_type, key_id, n);
  END IF;

  -- A key that is still stored after its 24 hours is overwritten.
  IF cardinality(new_keys) > 0 THEN
    INSERT INTO ledger.idempotency_keys (
      account_id, idempotency_key, request_sha256, first_sequence_number, event_count, created_at)
    SELECT of_account, new_key, substring(request_sha256s FROM n::integer * 32 - 31 FOR 32), first_sequence,
      events, now()
    FROM unnest(new_keys, first_sequences, event_counts) WITH ORDINALITY AS given (
      new_key, first_sequence, events, n)
    ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
      request_sha256 = excluded.request_sha256,
      first_sequence_number = excluded.first_sequence_number,
      event_count = excluded.event_count,
      created_at = excluded.created_at;
  END IF;
  RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION ledger.append FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.append TO annals_ledger;

-- The filter index: which events of a chunk of 4,096 numbers have which value, and between which times they
-- occurred (docs/adr/0017-filters-indexed-behind-the-append.md). The service indexes chunk after chunk in the
-- background, without a gap. What lies behind the last one is searched event by event.
--
-- A chunk of which every number is taken is indexed once. After a repair of a chain by hand delete the
-- account's rows of both tables: they are made anew.
CREATE TABLE ledger.chunks (
  account_id text COLLATE "C" NOT NULL,
  -- chunk c has the numbers from 4096 * c + 1 to 4096 * (c + 1)
  chunk      bigint NOT NULL CHECK (chunk >= 0),
  -- least and greatest occurred_at of its events
  earliest   text COLLATE "C" NOT NULL,
  latest     text COLLATE "C" NOT NULL,
  -- least and greatest received_at: it increases along the chain but for the clocks of the gateways
  first_received text COLLATE "C" NOT NULL,
  last_received  text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, chunk)
);

CREATE TABLE ledger.postings (
  account_id text COLLATE "C" NOT NULL,
  -- action, actor_id, actor_type, target_id or target_type
  field      text COLLATE "C" NOT NULL,
  value      text COLLATE "C" NOT NULL,
  chunk      bigint NOT NULL,
  -- of the events with this value, ascending: 0 is the first of the chunk
  ordinals   smallint[] NOT NULL,
  PRIMARY KEY (account_id, field, value, chunk)
);

GRANT SELECT, INSERT ON ledger.chunks, ledger.postings TO annals_ledger;

-- Adds a chunk of a chain to the filter index and returns true, or adds nothing and returns false: if the
-- previous chunk is not indexed, because a list would skip a missing chunk in between, if not every number of
-- the chunk is stored or was deleted by retention, or if the chunk is indexed already. A leaf that retention
-- has left (erased & 32, 0003_lifecycle.sql) has no posting. A chunk without an event has empty times.
--
-- It holds the head FOR KEY SHARE from a statement of its own on, so that the statements that read the events
-- see every erasure before it, and the next erasure, which holds the head FOR UPDATE, waits for the postings.
-- Appends do not wait for it.
--
-- ORDER BY makes PostgreSQL read the primary key even for an account that its statistics show as empty,
-- because the account has grown since the last ANALYZE. Each call is planned for its account.
CREATE FUNCTION ledger.index_chunk(of_account text, of_chunk bigint)
RETURNS boolean
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  size CONSTANT bigint := 4096;
  stored bigint;
  deleted bigint;
  first_time text;
  last_time text;
  received_first text;
  received_last text;
BEGIN
  PERFORM 1 FROM ledger.heads WHERE account_id = of_account FOR KEY SHARE;
  IF of_chunk > 0 AND NOT EXISTS (
    SELECT 1 FROM ledger.chunks WHERE account_id = of_account AND chunk = of_chunk - 1
  ) THEN
    RETURN false;
  END IF;

  SELECT count(*), min(occurred_at), max(occurred_at), min(received_at), max(received_at)
  INTO stored, first_time, last_time, received_first, received_last
  FROM (
    SELECT occurred_at, received_at FROM ledger.events
    WHERE account_id = of_account
      AND sequence_number > size * of_chunk AND sequence_number <= size * (of_chunk + 1)
    ORDER BY sequence_number
  ) AS events;
  SELECT least(greatest(min_index - size * of_chunk, 0), size) INTO deleted
  FROM ledger.lifecycles WHERE account_id = of_account;
  IF stored <> size - coalesce(deleted, 0) THEN
    RETURN false;
  END IF;
  INSERT INTO ledger.chunks (account_id, chunk, earliest, latest, first_received, last_received)
  VALUES (of_account, of_chunk, coalesce(first_time, ''), coalesce(last_time, ''),
    coalesce(received_first, ''), coalesce(received_last, ''))
  ON CONFLICT (account_id, chunk) DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;

  INSERT INTO ledger.postings (account_id, field, value, chunk, ordinals)
  SELECT account_id, copies.field, copies.value, of_chunk,
    array_agg(((sequence_number - 1) % size)::smallint ORDER BY sequence_number)
  FROM ledger.events
  CROSS JOIN LATERAL (VALUES
    ('action', action), ('actor_id', actor_id), ('actor_type', actor_type), ('target_id', target_id),
    ('target_type', target_type)
  ) AS copies (field, value)
  WHERE account_id = of_account
    AND sequence_number > size * of_chunk AND sequence_number <= size * (of_chunk + 1)
    AND erased & 32 <> 32
    AND copies.value IS NOT NULL
  GROUP BY account_id, copies.field, copies.value;
  RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION ledger.index_chunk FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.index_chunk TO annals_ledger;

-- What the scheduled verification has done: how far each chain was found valid, and when it last was as a
-- whole. The next one continues there. It is no proof: a login that can change the events can change this
-- too.
CREATE TABLE ledger.verifications (
  account_id      text COLLATE "C" PRIMARY KEY,
  -- the last event that was found valid, and its hash; 0 before the first
  sequence_number bigint NOT NULL CHECK (sequence_number >= 0),
  hash            text NOT NULL,
  -- chunks of the filter index that were compared with the events, the first ones without a gap
  chunks          bigint NOT NULL DEFAULT 0 CHECK (chunks >= 0),
  verified_at     timestamptz, -- when it was valid up to its head; null before the first time
  due_at          timestamptz NOT NULL -- when a replica may take it: the end of a lease, or of an interval
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.verifications TO annals_ledger;

-- The outbox: what happened once and subscribers are notified of, kept so that nothing depends on a notice
-- (docs/adr/0014-one-outbox.md). The service may delete entries that were read or are too old, and cannot
-- change one.
CREATE TABLE ledger.outbox (
  account_id text COLLATE "C" NOT NULL,
  -- from 1, one more each within its account, in the order of commits
  position   bigint NOT NULL CHECK (position > 0),
  event_name text COLLATE "C" NOT NULL,
  -- the JSON text of what the operation returned
  data       text NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, position)
);

GRANT SELECT, INSERT, DELETE ON ledger.outbox TO annals_ledger;

-- The last position of each account's outbox. The writer of an entry holds this row's lock until it has
-- committed: that makes the positions gapless, and visible in their order.
CREATE TABLE ledger.outbox_heads (
  account_id text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL CHECK (position > 0)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.outbox_heads TO annals_ledger;
