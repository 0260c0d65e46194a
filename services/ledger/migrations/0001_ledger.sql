-- The schema of the ledger: the events of each account's chain, the head of each chain, the filter index, the
-- idempotency keys, and what the service knows of its verifications; then the log of evidence over all
-- chains, and what happens to events after they are stored: erasure of parts, holds, retention.
--
-- Every primary key begins with the account, so that a distributed PostgreSQL shards by it. The service runs
-- as annals_ledger, which owns nothing: on the events it has INSERT and SELECT and no other right, so that no
-- fault of the service can change or delete what was stored. Only functions of this file do that
-- (docs/adr/0053-rows-are-deleted-by-functions.md).

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
  -- The erased parts: actor 1, context 2, diff 4, metadata 8, target 16. An erased part is the text {}, with
  -- zeros in place of its salt; its digest stays. 32: retention has deleted the event, and the row is only its
  -- leaf.
  erased          smallint NOT NULL DEFAULT 0,
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
  -- of the last event; empty before the first
  created_at      text COLLATE "C" NOT NULL DEFAULT '',
  -- the last event before the month of created_at: numbers have no gaps, so a monthly quota counts from it
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
  start_of_month     bigint,  -- the last event before the month of created
  key_hours          integer  -- how long an idempotency key is in use
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
      AND created_at > now() - key_hours * interval '1 hour'
  ) THEN
    RETURN false;
  END IF;

  UPDATE ledger.heads SET
    sequence_number = head_sequence + added,
    hash = substring(hashes FROM added * 32 + 1 FOR 32),
    created_at = created,
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

  -- A key that is still stored after its hours is overwritten.
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

-- The filter index: which events of a segment have which value, and between which times they occurred
-- (docs/adr/0088-the-index-is-in-blocks.md). A segment is fresh (level 0: 4,096 numbers) or sealed (level 1: 16 fresh
-- ones). The service has fresh segments made in the background, one after the other without a gap. What lies
-- behind the last one is searched event by event. Once they are sealed, only the sealed segment has blocks, and the
-- rows of the fresh ones say their times. The service reads these tables; functions alone write them.
--
-- A segment of which every number is taken is indexed once. After a repair of a chain by hand delete the
-- account's rows of both tables: they are made anew.
CREATE TABLE ledger.segments (
  account_id text COLLATE "C" NOT NULL,
  level      smallint NOT NULL CHECK (level IN (0, 1)),
  -- the number before its first one
  base       bigint NOT NULL CHECK (base >= 0),
  -- Least and greatest occurred_at of its events; empty if it had none when it was made.
  earliest   text COLLATE "C" NOT NULL,
  latest     text COLLATE "C" NOT NULL,
  -- least and greatest received_at: it increases along the chain but for the clocks of the gateways
  first_received text COLLATE "C" NOT NULL,
  last_received  text COLLATE "C" NOT NULL,
  -- When the events of a fresh segment occurred, in the order of the chain: runs of four bytes of time and two of
  -- events, by minutes and by quarters of an hour since 1970. The least time: the event says it. Empty: each event does.
  minutes    bytea NOT NULL DEFAULT '',
  quarters   bytea NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, level, base)
);

-- The values of a field in a segment, ascending, cut into blocks of about 6 kB. A value with more than 1,500
-- events has a block of its own.
CREATE TABLE ledger.blocks (
  account_id text COLLATE "C" NOT NULL,
  -- 1 action, 2 actor_id, 3 actor_type, 4 target_id, 5 target_type, 6 metadata.outcome; from 16 on those of
  -- ledger.fields
  field      smallint NOT NULL,
  level      smallint NOT NULL,
  base       bigint NOT NULL,
  -- the first of the keys
  first      text COLLATE "C" NOT NULL,
  -- A key is a value. Events with a value of more than 256 bytes, with more than 16 values, or with more than 16 KiB
  -- of the part, are under the key '', which each search compares.
  keys       text[] COLLATE "C" NOT NULL,
  -- events of each key; null: one key
  counts     smallint[],
  -- two bytes an event, (number - 1) % 65,536, key after key and ascending within a key: so sealing concatenates
  places     bytea NOT NULL,
  PRIMARY KEY (account_id, field, level, base, first)
);
-- Compressed in the row: half of the bytes of ids that count up, and nothing of random ones.
ALTER TABLE ledger.blocks ALTER keys SET STORAGE MAIN, ALTER places SET STORAGE MAIN;

-- What erasures have to take out of the blocks: they hold plain values, which are queued here from the old copies.
-- No value is in an index: once the queue is empty, VACUUM leaves none in the file of the table.
CREATE TABLE ledger.unindexed (
  account_id      text COLLATE "C" NOT NULL,
  sequence_number bigint NOT NULL,
  field           smallint NOT NULL,
  key             text COLLATE "C" NOT NULL,
  -- 1 for the first of the keys. No key is in the primary key: VACUUM leaves what was in a page of an index.
  place           smallint NOT NULL DEFAULT 1,
  PRIMARY KEY (account_id, sequence_number, field, place)
);

GRANT SELECT ON ledger.segments, ledger.blocks, ledger.unindexed TO annals_ledger;

-- The fields that an account has declared. A number is never used again, so the row of a deleted field stays until its
-- blocks are gone, and that of the highest number for good.
CREATE TABLE ledger.fields (
  account_id  text COLLATE "C" NOT NULL,
  field       smallint NOT NULL CHECK (field >= 16), -- of ledger.blocks
  name        text COLLATE "C" NOT NULL,
  -- the part, and names of members in it
  path        text[] COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL CHECK (type IN ('string', 'number', 'ip', 'time')),
  ignore_case boolean NOT NULL,
  -- The segments from this base on have blocks of the field.
  from_base   bigint NOT NULL CHECK (from_base >= 0),
  -- How far its backfill is, from the newest segment down: blocks of a sealed segment are made in fresh pieces.
  made_from   bigint NOT NULL CHECK (made_from BETWEEN 0 AND from_base),
  created_at  text COLLATE "C" NOT NULL,
  deleted_at  text COLLATE "C",
  -- What its blocks took in one segment when they were made: the base and the size of that segment, the bytes of keys,
  -- counts and places, and the events under the key ''. Null: no segment has been measured.
  measured_base   bigint,
  measured_events integer,
  measured_bytes  integer,
  uncounted       integer,
  PRIMARY KEY (account_id, field)
);

GRANT SELECT, INSERT, UPDATE (deleted_at) ON ledger.fields TO annals_ledger;

-- The searches that an account keeps.
CREATE TABLE ledger.searches (
  account_id text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  name       text NOT NULL,
  -- JSON objects, as the client sent them
  filter     text NOT NULL,
  view       text NOT NULL,
  -- JSON: the declared fields that the filter names, as they were when it was set
  fields     text NOT NULL,
  -- whether an erasure has taken a value out of it
  has_erased boolean NOT NULL DEFAULT false,
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.searches TO annals_ledger;

-- The part of an event that has a name; null for another name. PostgreSQL puts its CASE in the place of each call.
CREATE FUNCTION ledger.part_of(name text, actor text, context text, diff text, metadata text, target text)
RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE name WHEN 'actor' THEN actor WHEN 'context' THEN context WHEN 'diff' THEN diff
    WHEN 'metadata' THEN metadata WHEN 'target' THEN target END
$$;

-- The scalars of a JSON document at a path of member names. An array on the path, or at its end, gives each of its
-- elements; an array in an array gives nothing.
CREATE FUNCTION ledger.scalars_at(document json, members text[], is_element boolean)
RETURNS json[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  value json := document;
BEGIN
  FOR depth IN 1..cardinality(members) + 1 LOOP
    IF json_typeof(value) = 'array' THEN
      RETURN CASE WHEN NOT (is_element AND depth = 1) THEN (
        SELECT array_agg(scalar)
        FROM json_array_elements(value) AS element
        CROSS JOIN LATERAL unnest(ledger.scalars_at(element, members[depth:], true)) AS scalar
      ) END;
    END IF;
    IF depth > cardinality(members) THEN
      RETURN CASE WHEN json_typeof(value) <> 'object' THEN ARRAY[value] END;
    END IF;
    value := value -> members[depth];
    IF value IS NULL THEN
      RETURN NULL;
    END IF;
  END LOOP;
END
$$;

-- A number as eight bytes in hexadecimal whose order is that of the numbers.
CREATE FUNCTION ledger.number_key(given double precision)
RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- -0 becomes 0.
  bits CONSTANT bigint := ('x' || encode(float8send(given + 0.0), 'hex'))::bit(64)::bigint;
BEGIN
  RETURN lpad(to_hex(CASE WHEN bits < 0 THEN ~bits ELSE bits # (1::bigint << 63) END), 16, '0');
END
$$;

-- An address: 4 or 6 and its bytes in hexadecimal, so that a network is a range. An IPv4 address that is written as
-- IPv6 is one of IPv4. Null for any other text.
CREATE FUNCTION ledger.ip_key(given text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  bytes text;
BEGIN
  IF given !~ '^((0|[1-9][0-9]{0,2})\.){3}(0|[1-9][0-9]{0,2})$' AND given !~ '^[0-9A-Fa-f:.]{0,38}:[0-9A-Fa-f:.]{0,38}$' THEN
    RETURN NULL;
  END IF;
  -- Four bytes say the family.
  bytes := substring(encode(inet_send(given::inet), 'hex') FROM 9);
  RETURN CASE WHEN length(bytes) = 8 THEN '4' || bytes
    WHEN bytes LIKE '00000000000000000000ffff%' THEN '4' || substring(bytes FROM 25)
    ELSE '6' || bytes END;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;

-- A time by RFC 3339, in UTC with six fraction digits. Null for any other text.
CREATE FUNCTION ledger.time_key(given text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  pieces CONSTANT text[] := regexp_match(given,
    '^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$');
  away interval := '0';
BEGIN
  IF pieces IS NULL THEN
    RETURN NULL;
  END IF;
  IF pieces[4] IS NOT NULL THEN
    away := make_interval(hours => pieces[5]::integer, mins => pieces[6]::integer);
  END IF;
  RETURN to_char((pieces[1] || ' ' || pieces[2])::timestamp
    + make_interval(secs => rpad(substring(coalesce(pieces[3], '') FOR 6), 6, '0')::numeric / 1000000)
    - CASE WHEN pieces[4] = '-' THEN -away ELSE away END, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;

-- The values that a part of an event, its canonical text, has at a path of member names: each once. A value that is
-- not of the type is none. A text that is no JSON has no values. Index, searches and verification all ask this.
CREATE FUNCTION ledger.values_of(part text, members text[], of_type text, ignore_case boolean)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  scalar json;
  scalars json[];
  kind text;
  value text;
  found text[] := '{}';
BEGIN
  -- A text that does not have the last name is not parsed: in canonical JSON a name is written in one way.
  IF strpos(part, to_json(members[cardinality(members)])::text || ':') = 0 THEN
    RETURN found;
  END IF;
  -- Nearly always there is no array. It has no member of a name, so the value is null then.
  scalar := part::json;
  FOR n IN 1..cardinality(members) LOOP
    scalar := scalar -> members[n];
  END LOOP;
  kind := json_typeof(scalar);
  IF kind = 'string' AND of_type = 'string' AND NOT ignore_case THEN
    RETURN ARRAY[scalar #>> '{}'];
  END IF;
  scalars := CASE kind IN ('string', 'number', 'boolean') WHEN true THEN ARRAY[scalar]
    ELSE coalesce(ledger.scalars_at(part::json, members, false), '{}') END;
  FOREACH scalar IN ARRAY scalars LOOP
    kind := json_typeof(scalar);
    value := CASE of_type
      WHEN 'string' THEN CASE WHEN kind IN ('string', 'number', 'boolean') THEN scalar #>> '{}' END
      WHEN 'number' THEN CASE WHEN kind = 'number' THEN ledger.number_key((scalar #>> '{}')::double precision) END
      WHEN 'ip' THEN CASE WHEN kind = 'string' THEN ledger.ip_key(scalar #>> '{}') END
      WHEN 'time' THEN CASE WHEN kind = 'string' THEN ledger.time_key(scalar #>> '{}') END
    END;
    IF value IS NOT NULL THEN
      found := array_append(found, CASE WHEN ignore_case
        THEN translate(value, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') ELSE value END);
    END IF;
  END LOOP;
  IF cardinality(found) < 2 THEN
    RETURN found;
  END IF;
  RETURN ARRAY(SELECT DISTINCT given FROM unnest(found) AS given);
EXCEPTION WHEN data_exception THEN
  RETURN '{}';
END
$$;

-- The keys of a part in the index. A large part is not read: it has the key of what every search compares.
CREATE FUNCTION ledger.keys_of(part text, members text[], of_type text, ignore_case boolean)
RETURNS text[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found text[];
BEGIN
  IF octet_length(part) > 16384 THEN
    RETURN ARRAY[''];
  END IF;
  found := ledger.values_of(part, members, of_type, ignore_case);
  IF cardinality(found) > 16 THEN
    RETURN ARRAY[''];
  END IF;
  FOR n IN 1..cardinality(found) LOOP
    IF octet_length(found[n]) > 256 THEN
      RETURN ARRAY[''];
    END IF;
  END LOOP;
  RETURN found;
END
$$;

-- Whether the parts of an event have the values that are asked for: an array of objects with `part`, `members`, `type`,
-- `ignore_case`, `since`, `before`, `is_excluded`. Each needs a value from one of its `since` up to but not including
-- the `before` in the same place, if that is not null; an excluded one must have none.
CREATE FUNCTION ledger.has_values(actor text, context text, diff text, metadata text, target text, asked jsonb)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  field jsonb;
  value text COLLATE "C";
  is_found boolean;
BEGIN
  FOR n IN 0..jsonb_array_length(asked) - 1 LOOP
    field := asked -> n;
    is_found := false;
    <<search>>
    FOREACH value IN ARRAY ledger.values_of(
      ledger.part_of(field ->> 'part', actor, context, diff, metadata, target),
      (field ->> 'members')::text[], field ->> 'type', (field ->> 'ignore_case')::boolean)
    LOOP
      FOR m IN 0..jsonb_array_length(field -> 'since') - 1 LOOP
        IF value >= (field -> 'since' ->> m) AND coalesce(value < (field -> 'before' ->> m), true) THEN
          is_found := true;
          EXIT search;
        END IF;
      END LOOP;
    END LOOP;
    IF is_found = (field ->> 'is_excluded')::boolean THEN
      RETURN false;
    END IF;
  END LOOP;
  RETURN true;
END
$$;

-- Cuts entries, a key of a field and its places each, into blocks and stores them. The cut follows from the
-- entries alone, so sealed blocks are those that the events would give.
CREATE FUNCTION ledger.store_blocks(
  of_account text, of_level integer, of_base bigint, fields smallint[], field_keys text[], key_places bytea[])
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  bytes CONSTANT integer := 6000;
  own CONSTANT integer := 3000; -- 1,500 events
  block record;
BEGIN
  FOR block IN
    SELECT field, array_agg(key ORDER BY key) AS keys, string_agg(places, ''::bytea ORDER BY key) AS places,
      array_agg((octet_length(places) / 2)::smallint ORDER BY key) FILTER (WHERE NOT is_own) AS counts
    FROM (
      -- an element of an array has a header of four bytes, and a count two
      SELECT *, (sum(octet_length(key) + octet_length(places) + 6) OVER (PARTITION BY field, run, is_own ORDER BY key)
        - octet_length(key) - octet_length(places) - 6) / bytes AS piece
      FROM (
        SELECT field, key, places, octet_length(places) > own AS is_own,
          count(*) FILTER (WHERE octet_length(places) > own) OVER (PARTITION BY field ORDER BY key) AS run
        FROM (
          SELECT field, key COLLATE "C" AS key, places
          FROM unnest(fields, field_keys, key_places) AS given (field, key, places)
        ) AS entries
      ) AS runs
    ) AS pieces
    GROUP BY field, run, is_own, piece
  LOOP
    INSERT INTO ledger.blocks (account_id, field, level, base, first, keys, counts, places)
    VALUES (of_account, block.field, of_level, of_base, block.keys[1], block.keys, block.counts, block.places);
  END LOOP;
END
$$;

-- Keeps what the blocks of a declared field take in a segment for which they were just made, if the field was not
-- measured in a larger or a newer one. It waits for nobody: while another call has the field, the next segment is
-- measured.
CREATE FUNCTION ledger.measure_field(of_account text, of_level integer, of_base bigint, of_field integer)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  size CONSTANT integer := CASE of_level WHEN 0 THEN 4096 ELSE 65536 END;
  measured record;
BEGIN
  PERFORM 1 FROM ledger.fields
  WHERE account_id = of_account AND field = of_field
    AND (measured_events IS NULL OR (measured_events, measured_base) <= (size, of_base))
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT coalesce(sum(pg_column_size(keys) + coalesce(pg_column_size(counts), 0) + pg_column_size(places)), 0) AS bytes,
    coalesce(sum(coalesce(counts[1], octet_length(places) / 2)) FILTER (WHERE first = ''), 0) AS uncounted
  INTO measured
  FROM ledger.blocks
  WHERE account_id = of_account AND field = of_field AND level = of_level AND base = of_base;
  UPDATE ledger.fields SET measured_base = of_base, measured_events = size, measured_bytes = measured.bytes,
    uncounted = measured.uncounted
  WHERE account_id = of_account AND field = of_field;
END
$$;

-- Makes the blocks of a field that is in a part, for a fresh segment. `path` begins with the part. The grouping is that
-- of ledger.make_blocks.
CREATE FUNCTION ledger.make_blocks_of(
  of_account text, of_base bigint, of_field integer, path text[], of_type text, ignore_case boolean)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  name CONSTANT text := to_json(path[cardinality(path)])::text || ':';
  field_keys text[];
  key_places bytea[];
BEGIN
  SELECT array_agg(key), array_agg(places) INTO field_keys, key_places
  FROM (
    SELECT key, string_agg(place, ''::bytea) AS places
    FROM (
      SELECT substring(int4send(((sequence_number - 1) % 65536)::integer) FROM 3) AS place, '0'::xid AS hashed,
        unnest(ledger.keys_of(part, path[2:], of_type, ignore_case)) AS key
      FROM (
        SELECT sequence_number, ledger.part_of(path[1], actor, context, diff, metadata, target) AS part
        FROM ledger.events
        WHERE account_id = of_account AND sequence_number > of_base AND sequence_number <= of_base + 4096
          AND erased & 32 <> 32
        ORDER BY sequence_number
      ) AS parts
      -- Most events of most accounts end here.
      WHERE octet_length(part) > 16384 OR strpos(part, name) > 0
    ) AS copies
    GROUP BY key, hashed
  ) AS entries;
  PERFORM ledger.store_blocks(of_account, 0, of_base,
    array_fill(of_field::smallint, ARRAY[coalesce(cardinality(field_keys), 0)]), field_keys, key_places);
  PERFORM ledger.measure_field(of_account, 0, of_base, of_field);
END
$$;

-- Makes the blocks of a fresh segment from its events. A leaf that retention has left (erased & 32) is in none.
--
-- ORDER BY makes PostgreSQL read the primary key even for an account that its statistics show as empty,
-- because the account has grown since the last ANALYZE. Each call is planned for its account.
--
-- Each field is grouped by hashing, which keeps the order of the scan within a group, also where the groups do
-- not fit work_mem; a sort by the values would not, and to sort by the numbers, too, costs twice as much. The
-- column `hashed` leaves PostgreSQL no other plan: values of its type can be hashed and not sorted.
CREATE FUNCTION ledger.make_blocks(of_account text, of_base bigint)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  fields smallint[];
  field_keys text[];
  key_places bytea[];
  declared record;
BEGIN
  WITH copies AS MATERIALIZED (
    SELECT substring(int4send(((sequence_number - 1) % 65536)::integer) FROM 3) AS place, '0'::xid AS hashed,
      CASE WHEN octet_length(action) > 256 THEN '' ELSE action END AS action,
      CASE WHEN octet_length(actor_id) > 256 THEN '' ELSE actor_id END AS actor_id,
      CASE WHEN octet_length(actor_type) > 256 THEN '' ELSE actor_type END AS actor_type,
      CASE WHEN octet_length(target_id) > 256 THEN '' ELSE target_id END AS target_id,
      CASE WHEN octet_length(target_type) > 256 THEN '' ELSE target_type END AS target_type
    FROM ledger.events
    WHERE account_id = of_account AND sequence_number > of_base AND sequence_number <= of_base + 4096
      AND erased & 32 <> 32
    ORDER BY sequence_number
  )
  SELECT array_agg(field), array_agg(key), array_agg(places) INTO fields, field_keys, key_places
  FROM (
    SELECT 1::smallint AS field, action AS key, string_agg(place, ''::bytea) AS places
    FROM copies WHERE action IS NOT NULL GROUP BY action, hashed
    UNION ALL
    SELECT 2::smallint, actor_id, string_agg(place, ''::bytea)
    FROM copies WHERE actor_id IS NOT NULL GROUP BY actor_id, hashed
    UNION ALL
    SELECT 3::smallint, actor_type, string_agg(place, ''::bytea)
    FROM copies WHERE actor_type IS NOT NULL GROUP BY actor_type, hashed
    UNION ALL
    SELECT 4::smallint, target_id, string_agg(place, ''::bytea)
    FROM copies WHERE target_id IS NOT NULL GROUP BY target_id, hashed
    UNION ALL
    SELECT 5::smallint, target_type, string_agg(place, ''::bytea)
    FROM copies WHERE target_type IS NOT NULL GROUP BY target_type, hashed
  ) AS entries;
  PERFORM ledger.store_blocks(of_account, 0, of_base, fields, field_keys, key_places);
  PERFORM ledger.make_blocks_of(of_account, of_base, 6, ARRAY['metadata', 'outcome'], 'string', false);
  -- A field is not deleted meanwhile: that waits for the lock. Its backfill makes what lies before it.
  FOR declared IN
    SELECT field, path, type, ignore_case FROM ledger.fields
    WHERE account_id = of_account AND deleted_at IS NULL AND made_from <= of_base
    FOR SHARE
  LOOP
    PERFORM ledger.make_blocks_of(
      of_account, of_base, declared.field, declared.path, declared.type, declared.ignore_case);
  END LOOP;
END
$$;

-- The runs of a fresh segment (ledger.segments), by minutes and by quarters. Only leaves of what retention has deleted
-- may be missing, which are the first ones. A time that no timestamp has is left to its event.
CREATE FUNCTION ledger.runs_of(of_account text, of_base bigint)
RETURNS bytea[]
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  size CONSTANT integer := 4096;
  unknown CONSTANT integer := -2147483648;
  runs_by bytea[];
BEGIN
  WITH texts AS (
    SELECT first, minute FROM (
      SELECT (sequence_number - of_base)::integer AS first, left(occurred_at, 16) AS minute,
        lag(left(occurred_at, 16)) OVER (ORDER BY sequence_number) AS before
      FROM ledger.events
      WHERE account_id = of_account AND sequence_number > of_base AND sequence_number <= of_base + size
      ORDER BY sequence_number
    ) AS events
    WHERE minute IS DISTINCT FROM before
  ), runs AS MATERIALIZED (
    SELECT first, CASE
        WHEN minute ~ '^[0-5][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$' AND minute >= '0001'
          THEN (extract(epoch FROM minute::timestamp) / 60)::integer
        ELSE unknown END AS minute
    FROM texts
    UNION ALL
    SELECT 1, unknown WHERE NOT EXISTS (SELECT 1 FROM texts WHERE first = 1)
  ), hours AS (
    SELECT first, quarter FROM (
      SELECT first, quarter, lag(quarter) OVER (ORDER BY first) AS before FROM (
        SELECT first, CASE WHEN minute = unknown THEN unknown ELSE floor(minute / 15.0)::integer END AS quarter
        FROM runs
      ) AS quarters
    ) AS quarters
    WHERE quarter IS DISTINCT FROM before
  )
  SELECT ARRAY[(
    SELECT string_agg(int4send(minute) || substring(int4send(events) FROM 3), ''::bytea ORDER BY first)
    FROM (SELECT first, minute, lead(first, 1, size + 1) OVER (ORDER BY first) - first AS events FROM runs) AS run
  ), (
    SELECT string_agg(int4send(quarter) || substring(int4send(events) FROM 3), ''::bytea ORDER BY first)
    FROM (SELECT first, quarter, lead(first, 1, size + 1) OVER (ORDER BY first) - first AS events FROM hours) AS run
  )] INTO runs_by;
  RETURN runs_by;
EXCEPTION WHEN data_exception THEN
  RETURN ARRAY[''::bytea, ''::bytea];
END
$$;

-- Adds a fresh segment of a chain to the filter index and returns true, or adds nothing and returns false: if
-- the previous segment is not indexed, because a list would skip a missing one in between, if not every number
-- is stored or was deleted by retention, or if the segment is indexed already.
--
-- It holds the head FOR KEY SHARE from a statement of its own on, so that the statements that read the events
-- see every erasure before it, and the next erasure, which holds the head FOR UPDATE, waits for the blocks.
-- Appends do not wait for it.
CREATE FUNCTION ledger.index_segment(of_account text, of_base bigint)
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  size CONSTANT bigint := 4096;
  stored record;
  deleted bigint;
BEGIN
  PERFORM 1 FROM ledger.heads WHERE account_id = of_account FOR KEY SHARE;
  IF of_base % size <> 0 OR of_base > 0 AND NOT EXISTS (
    SELECT 1 FROM ledger.segments WHERE account_id = of_account AND level = 0 AND base = of_base - size
  ) THEN
    RETURN false;
  END IF;

  SELECT count(*) AS events, min(occurred_at) AS earliest, max(occurred_at) AS latest, min(received_at) AS first,
    max(received_at) AS last
  INTO stored
  FROM (
    SELECT occurred_at, received_at FROM ledger.events
    WHERE account_id = of_account AND sequence_number > of_base AND sequence_number <= of_base + size
    ORDER BY sequence_number
  ) AS events;
  SELECT least(greatest(min_index - of_base, 0), size) INTO deleted
  FROM ledger.lifecycles WHERE account_id = of_account;
  IF stored.events <> size - coalesce(deleted, 0) THEN
    RETURN false;
  END IF;
  INSERT INTO ledger.segments (
    account_id, level, base, earliest, latest, first_received, last_received, minutes, quarters)
  SELECT of_account, 0, of_base, coalesce(stored.earliest, ''), coalesce(stored.latest, ''),
    coalesce(stored.first, ''), coalesce(stored.last, ''), runs[1], runs[2]
  FROM ledger.runs_of(of_account, of_base) AS runs
  ON CONFLICT (account_id, level, base) DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM ledger.make_blocks(of_account, of_base);
  RETURN true;
END
$$;

-- Locks the segment whose blocks have a number, and returns it; nulls if none has it. The row of the first of the
-- 16 fresh segments is the lock of all that changes their blocks after they are made.
CREATE FUNCTION ledger.lock_segment(of_account text, of_number bigint, OUT of_level smallint, OUT of_base bigint)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  fresh CONSTANT bigint := (of_number - 1) / 4096 * 4096;
  sealed CONSTANT bigint := (of_number - 1) / 65536 * 65536;
BEGIN
  PERFORM 1 FROM ledger.segments WHERE account_id = of_account AND level = 0 AND base = sealed FOR UPDATE;
  SELECT level, base INTO of_level, of_base FROM ledger.segments
  WHERE account_id = of_account AND (level = 0 AND base = fresh OR level = 1 AND base = sealed)
  ORDER BY level DESC LIMIT 1;
END
$$;

-- Replaces the blocks that a field has in 16 fresh segments by those of a sealed one. It reads no event.
CREATE FUNCTION ledger.seal_blocks(of_account text, of_base bigint, of_field smallint)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  size CONSTANT bigint := 65536;
  field_keys text[];
  key_places bytea[];
BEGIN
  SELECT array_agg(key), array_agg(places) INTO field_keys, key_places
  FROM (
    SELECT entry.key, string_agg(entry.places, ''::bytea ORDER BY blocks.base) AS places
    FROM ledger.blocks
    CROSS JOIN LATERAL (
      SELECT key, substring(blocks.places FROM 2 * (sum(events) OVER (ORDER BY n) - events)::integer + 1
        FOR 2 * events) AS places
      FROM (
        SELECT key, n, coalesce(count, octet_length(blocks.places) / 2)::integer AS events
        FROM unnest(blocks.keys, blocks.counts) WITH ORDINALITY AS counted (key, count, n)
      ) AS counted
    ) AS entry
    WHERE account_id = of_account AND field = of_field AND level = 0 AND base >= of_base AND base < of_base + size
    GROUP BY entry.key
  ) AS entries;
  PERFORM ledger.store_blocks(of_account, 1, of_base,
    array_fill(of_field, ARRAY[coalesce(cardinality(field_keys), 0)]), field_keys, key_places);
  DELETE FROM ledger.blocks
  WHERE account_id = of_account AND field = of_field AND level = 0 AND base >= of_base AND base < of_base + size;
  PERFORM ledger.measure_field(of_account, 1, of_base, of_field);
END
$$;

-- Makes a sealed segment of 16 fresh ones, whose blocks it replaces, and returns true; or returns false, if one of
-- them is missing, if it is there already, if retention has entered them, which would only have to make them
-- again, or if they have more than some 24 MB of blocks: what changes a sealed segment would take too long. A declared
-- field whose backfill is among them keeps its fresh blocks until that is through: it is used from the next segment
-- on.
CREATE FUNCTION ledger.seal_segment(of_account text, of_base bigint)
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  size CONSTANT bigint := 65536;
  most CONSTANT bigint := 4096;
  times record;
  fields smallint[] := ARRAY[1, 2, 3, 4, 5, 6];
  declared record;
  of_field smallint;
BEGIN
  PERFORM ledger.lock_segment(of_account, of_base + 1);
  FOR declared IN
    SELECT field, from_base FROM ledger.fields WHERE account_id = of_account AND deleted_at IS NULL FOR UPDATE
  LOOP
    IF declared.from_base <= of_base THEN
      fields := array_append(fields, declared.field);
    END IF;
  END LOOP;
  SELECT count(*) AS fresh, min(earliest) AS earliest, max(latest) AS latest, min(first_received) AS first,
    max(last_received) AS last
  INTO times
  FROM ledger.segments
  WHERE account_id = of_account AND level = 0 AND base >= of_base AND base < of_base + size;
  IF of_base % size <> 0 OR times.fresh <> 16 OR EXISTS (
    SELECT 1 FROM ledger.lifecycles WHERE account_id = of_account AND deleted_through > of_base
  ) OR most < (
    SELECT count(*) FROM ledger.blocks
    WHERE account_id = of_account AND field = ANY (fields) AND level = 0 AND base >= of_base AND base < of_base + size
  ) THEN
    RETURN false;
  END IF;
  INSERT INTO ledger.segments (account_id, level, base, earliest, latest, first_received, last_received)
  VALUES (of_account, 1, of_base, times.earliest, times.latest, times.first, times.last)
  ON CONFLICT (account_id, level, base) DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  FOREACH of_field IN ARRAY fields LOOP
    PERFORM ledger.seal_blocks(of_account, of_base, of_field);
  END LOOP;
  UPDATE ledger.fields SET from_base = of_base + size
  WHERE account_id = of_account AND from_base > of_base AND from_base < of_base + size;
  RETURN true;
END
$$;

-- Takes the backfill of a declared field a fresh segment further down, and returns true; false once nothing is left to
-- do. Of a sealed segment the pieces are put together when the last one is made, and only then is the field used there.
-- It holds the head as ledger.index_segment does.
CREATE FUNCTION ledger.index_field(of_account text, of_field smallint)
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  size CONSTANT bigint := 4096;
  piece bigint;
  deleted bigint;
  segment record;
  declared record;
BEGIN
  PERFORM 1 FROM ledger.heads WHERE account_id = of_account FOR KEY SHARE;
  SELECT made_from - size INTO piece FROM ledger.fields
  WHERE account_id = of_account AND field = of_field AND deleted_at IS NULL AND from_base > 0;
  IF piece IS NULL THEN
    RETURN false;
  END IF;
  -- Segments are locked before fields.
  IF piece >= 0 THEN
    SELECT * INTO segment FROM ledger.lock_segment(of_account, piece + 1);
  END IF;
  SELECT path, type, ignore_case, from_base, made_from INTO declared FROM ledger.fields
  WHERE account_id = of_account AND field = of_field AND deleted_at IS NULL FOR UPDATE;
  IF NOT FOUND OR declared.made_from - size <> piece THEN
    RETURN true; -- another call was faster
  END IF;
  SELECT coalesce(max(deleted_through), 0) INTO deleted FROM ledger.lifecycles WHERE account_id = of_account;
  -- Retention has deleted what is left. What it has entered is not sealed.
  IF piece < 0 OR piece + size <= deleted THEN
    UPDATE ledger.fields SET from_base = 0, made_from = 0 WHERE account_id = of_account AND field = of_field;
    RETURN true;
  END IF;
  DELETE FROM ledger.blocks WHERE account_id = of_account AND field = of_field AND level = 0 AND base = piece;
  PERFORM ledger.make_blocks_of(of_account, piece, of_field, declared.path, declared.type, declared.ignore_case);
  IF segment.of_level = 1 AND piece = segment.of_base THEN
    PERFORM ledger.seal_blocks(of_account, piece, of_field);
  END IF;
  UPDATE ledger.fields SET made_from = piece,
    from_base = CASE WHEN segment.of_level = 1 AND piece <> segment.of_base THEN from_base ELSE piece END
  WHERE account_id = of_account AND field = of_field;
  RETURN true;
END
$$;

-- Deletes some blocks of a field that its account has deleted, and returns true; false once none is left. Then it
-- forgets the field, too, but for its number if that is the highest.
CREATE FUNCTION ledger.forget_field(of_account text, of_field smallint)
RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  most CONSTANT integer := 1000;
  block record;
BEGIN
  PERFORM 1 FROM ledger.fields
  WHERE account_id = of_account AND field = of_field AND deleted_at IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  FOR block IN
    SELECT level, base, first FROM ledger.blocks WHERE account_id = of_account AND field = of_field LIMIT most
  LOOP
    DELETE FROM ledger.blocks
    WHERE account_id = of_account AND field = of_field AND level = block.level AND base = block.base
      AND first = block.first;
  END LOOP;
  IF EXISTS (SELECT 1 FROM ledger.blocks WHERE account_id = of_account AND field = of_field) THEN
    RETURN true;
  END IF;
  DELETE FROM ledger.fields
  WHERE account_id = of_account AND field = of_field
    AND field < (SELECT max(field) FROM ledger.fields WHERE account_id = of_account);
  UPDATE ledger.fields SET name = '', path = '{}'
  WHERE account_id = of_account AND field = of_field;
  RETURN false;
END
$$;

-- Takes what erasures have queued out of the index, as far as one segment goes: places, keys without a place, and
-- empty blocks. It returns how many entries of the queue these were; 0 once the queue is empty. It needs no
-- lock of the head: a segment that is indexed after an erasure does not have its values.
CREATE FUNCTION ledger.unindex(of_account text)
RETURNS bigint
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  first_number bigint;
  segment record;
  last_number bigint;
  entry record;
  block record;
  fields smallint[] := '{}';
  bases bigint[] := '{}';
  field_keys text[] := '{}';
  gone_places bytea[] := '{}';
  left_keys text[];
  left_places bytea[];
BEGIN
  SELECT min(sequence_number) INTO first_number FROM ledger.unindexed WHERE account_id = of_account;
  IF first_number IS NULL THEN
    RETURN 0;
  END IF;
  SELECT * INTO segment FROM ledger.lock_segment(of_account, first_number);
  last_number := CASE segment.of_level WHEN 1 THEN segment.of_base + 65536
    ELSE (first_number - 1) / 4096 * 4096 + 4096 END;
  -- The entries that are deleted are those that are taken out: an erasure may add others meanwhile.
  FOR entry IN
    DELETE FROM ledger.unindexed
    WHERE account_id = of_account AND sequence_number <= last_number
    RETURNING field, (sequence_number - 1) / 4096 * 4096 AS base, key,
      substring(int4send(((sequence_number - 1) % 65536)::integer) FROM 3) AS place
  LOOP
    fields := array_append(fields, entry.field);
    bases := array_append(bases, entry.base);
    field_keys := array_append(field_keys, entry.key);
    gone_places := array_append(gone_places, entry.place);
  END LOOP;

  -- A declared field has fresh blocks in a sealed segment while its backfill is there.
  FOR block IN
    SELECT found.field, found.level, found.base, found.first, found.keys, found.counts, found.places,
      gone.keys AS gone_keys, gone.places AS gone_places
    FROM (
      SELECT queued.field, probed.level, probed.base, probed.first, array_agg(queued.key) AS keys,
        array_agg(queued.place) AS places
      FROM unnest(fields, bases, field_keys, gone_places) AS queued (field, fresh, key, place)
      CROSS JOIN LATERAL (
        VALUES (0::smallint, queued.fresh), (1::smallint, queued.fresh / 65536 * 65536)
      ) AS site (level, base)
      CROSS JOIN LATERAL (
        SELECT blocks.level, blocks.base, first FROM ledger.blocks
        WHERE account_id = of_account AND field = queued.field AND blocks.level = site.level AND blocks.base = site.base
          AND first <= queued.key COLLATE "C"
        ORDER BY first DESC LIMIT 1
      ) AS probed
      GROUP BY queued.field, probed.level, probed.base, probed.first
    ) AS gone
    CROSS JOIN LATERAL (
      SELECT field, level, base, first, keys, counts, places FROM ledger.blocks
      WHERE account_id = of_account AND field = gone.field AND level = gone.level AND base = gone.base
        AND first = gone.first
      LIMIT 1
    ) AS found
  LOOP
    SELECT array_agg(key), array_agg(places) INTO left_keys, left_places
    FROM (
      SELECT kept.key, CASE WHEN gone.places IS NULL THEN kept.places ELSE (
        SELECT string_agg(place, ''::bytea ORDER BY place)
        FROM (
          SELECT substring(kept.places FROM 2 * at + 1 FOR 2) AS place
          FROM generate_series(0, octet_length(kept.places) / 2 - 1) AS at
          EXCEPT SELECT unnest(gone.places)
        ) AS staying
      ) END AS places
      FROM (
        SELECT key, substring(block.places FROM 2 * (sum(events) OVER (ORDER BY n) - events)::integer + 1
          FOR 2 * events) AS places
        FROM (
          SELECT key, n, coalesce(count, octet_length(block.places) / 2)::integer AS events
          FROM unnest(block.keys, block.counts) WITH ORDINALITY AS counted (key, count, n)
        ) AS counted
      ) AS kept
      LEFT JOIN (
        SELECT key, array_agg(place) AS places
        FROM unnest(block.gone_keys, block.gone_places) AS queued (key, place)
        GROUP BY key
      ) AS gone ON gone.key = kept.key
    ) AS remaining
    WHERE places IS NOT NULL;
    DELETE FROM ledger.blocks
    WHERE account_id = of_account AND field = block.field AND level = block.level AND base = block.base
      AND first = block.first;
    -- That of a deleted field may be gone.
    IF FOUND THEN
      PERFORM ledger.store_blocks(of_account, block.level, block.base,
        array_fill(block.field, ARRAY[coalesce(cardinality(left_keys), 0)]), left_keys, left_places);
    END IF;
  END LOOP;
  -- Snapshots from before this transaction still see the values.
  UPDATE ledger.erasures SET last_xid = pg_current_xact_id()::text::bigint
  WHERE account_id = of_account AND status = 'running';
  RETURN cardinality(fields);
END
$$;

REVOKE EXECUTE ON FUNCTION ledger.store_blocks, ledger.measure_field, ledger.make_blocks_of, ledger.make_blocks,
  ledger.runs_of, ledger.index_segment, ledger.lock_segment, ledger.seal_blocks, ledger.seal_segment, ledger.index_field, ledger.forget_field,
  ledger.unindex FROM PUBLIC;
-- Verification calls runs_of, which only reads.
GRANT EXECUTE ON FUNCTION ledger.runs_of, ledger.index_segment, ledger.seal_segment, ledger.index_field,
  ledger.forget_field, ledger.unindex TO annals_ledger;

-- What the scheduled verification has done: how far each chain was found valid, and when it last was as a
-- whole. The next one continues there. It is no proof: a login that can change the events can change this
-- too.
CREATE TABLE ledger.verifications (
  account_id      text COLLATE "C" PRIMARY KEY,
  -- the last event that was found valid, and its hash; 0 before the first
  sequence_number bigint NOT NULL CHECK (sequence_number >= 0),
  hash            text NOT NULL,
  -- chunks of the filter index that were compared with the events since they were sealed, the first ones without
  -- a gap
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

-- The tree of each account's chain: leaf i is the event with the sequence number i + 1, and its leaf hash is
-- the event's hash. Trees follow behind the appends. A tile is determined by the chain, so it is inserted once
-- and never changed.

CREATE TABLE ledger.trees (
  account_id text COLLATE "C" PRIMARY KEY,
  size       bigint NOT NULL CHECK (size > 0),
  root       bytea NOT NULL CHECK (octet_length(root) = 32),
  -- the first byte of the account's place in the map of heads
  bucket     smallint NOT NULL CHECK (bucket BETWEEN 0 AND 255),
  -- the roots of the complete subtrees, the largest first: a hash for each bit of the size
  frontier   bytea NOT NULL CHECK (octet_length(frontier) > 0 AND octet_length(frontier) % 32 = 0)
) WITH (fillfactor = 50);

CREATE INDEX trees_bucket ON ledger.trees (bucket, account_id);

GRANT SELECT, INSERT, UPDATE ON ledger.trees TO annals_ledger;

-- The full tiles of 256 hashes: of level 0 the hashes of events, of a higher level the roots of the tiles below.
CREATE TABLE ledger.tiles (
  account_id text COLLATE "C" NOT NULL,
  level      smallint NOT NULL CHECK (level >= 0),
  tile       bigint NOT NULL CHECK (tile >= 0),
  root       bytea NOT NULL CHECK (octet_length(root) = 32),
  hashes     bytea NOT NULL CHECK (octet_length(hashes) = 8192),
  PRIMARY KEY (account_id, level, tile)
);

-- Hashes do not compress. CREATE TABLE takes this from PostgreSQL 16 on only.
ALTER TABLE ledger.tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;

GRANT SELECT, INSERT ON ledger.tiles TO annals_ledger;

-- The head log: entry e - 1 is epoch e, a statement about the heads of all accounts at once. It names no
-- account. These tables are small, and a distributed PostgreSQL keeps them on one server.
CREATE TABLE ledger.logs (
  -- 1, and one more for each log that follows another
  log        smallint PRIMARY KEY CHECK (log > 0),
  origin     text COLLATE "C" NOT NULL UNIQUE,
  size       bigint NOT NULL CHECK (size >= 0),
  root       bytea NOT NULL CHECK (octet_length(root) = 32),
  frontier   bytea NOT NULL CHECK (octet_length(frontier) % 32 = 0),
  -- the public keys that the log has named, 32 bytes each
  keys       bytea NOT NULL CHECK (octet_length(keys) > 0 AND octet_length(keys) % 32 = 0),
  -- the entry that is proposed as the next one, the buckets of its map, and where the heads are that changed in it
  proposal         text COLLATE "C",
  proposal_buckets bytea,
  proposal_heads   uuid,
  proposal_parts   integer NOT NULL DEFAULT 0 CHECK (proposal_parts >= 0),
  -- the largest checkpoint known that keys has signed and the log does not have: no epoch is closed or served then
  missing      text,
  missing_size bigint NOT NULL DEFAULT 0 CHECK (missing_size >= 0),
  -- the process that closes epochs, and until when others leave it to that process
  closer       text COLLATE "C" NOT NULL DEFAULT '',
  closer_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.logs TO annals_ledger;

-- The heads that change in a proposed epoch, in parts. They are stored before the proposal that names them, and
-- deleted when the log has grown.
CREATE TABLE ledger.proposed_heads (
  log      smallint NOT NULL,
  -- of the log that the proposal continues
  size     bigint NOT NULL,
  proposal uuid NOT NULL,
  part     integer NOT NULL CHECK (part >= 0),
  heads    bytea NOT NULL,
  PRIMARY KEY (log, size, proposal, part)
);

GRANT SELECT, INSERT, DELETE ON ledger.proposed_heads TO annals_ledger;

CREATE TABLE ledger.epochs (
  log        smallint NOT NULL,
  epoch      bigint NOT NULL CHECK (epoch > 0),
  -- canonical JSON
  entry      text COLLATE "C" NOT NULL,
  -- when it was closed, as in the entry
  time       text COLLATE "C" NOT NULL,
  -- the head log with this entry as its last, signed by the log's own keys
  checkpoint text NOT NULL,
  -- the 256 nodes at depth 8 of the map of heads; null for an entry of another kind, and once thinned
  buckets    bytea,
  -- since when a quorum of witnesses has seen it
  quorum_at  timestamptz,
  PRIMARY KEY (log, epoch)
);

ALTER TABLE ledger.epochs ALTER COLUMN buckets SET STORAGE EXTERNAL;

CREATE INDEX epochs_maps ON ledger.epochs (log, epoch) WHERE buckets IS NOT NULL;

GRANT SELECT, INSERT, UPDATE (buckets, quorum_at) ON ledger.epochs TO annals_ledger;

-- The full tiles of the head log, as ledger.tiles.
CREATE TABLE ledger.log_tiles (
  log    smallint NOT NULL,
  level  smallint NOT NULL CHECK (level >= 0),
  tile   bigint NOT NULL CHECK (tile >= 0),
  root   bytea NOT NULL CHECK (octet_length(root) = 32),
  hashes bytea NOT NULL CHECK (octet_length(hashes) = 8192),
  PRIMARY KEY (log, level, tile)
);

ALTER TABLE ledger.log_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;

GRANT SELECT, INSERT ON ledger.log_tiles TO annals_ledger;

-- What others have signed or keep of a checkpoint of the head log: cosignatures of witnesses, time stamps, and
-- copies under object lock.
CREATE TABLE ledger.anchors (
  log   smallint NOT NULL,
  epoch bigint NOT NULL,
  -- `witness`: a signature line. `timestamp`: an RFC 3161 token. `bucket`: JSON of the locked object.
  kind  text COLLATE "C" NOT NULL CHECK (kind IN ('witness', 'timestamp', 'bucket')),
  -- of the witness in the policy, of the time stamping authority, or of the bucket
  name  text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  -- the time that it states; of a bucket, when the ledger heard of it
  time  timestamptz NOT NULL,
  -- Of a kind the newest is found from its end.
  PRIMARY KEY (log, kind, epoch, name)
);

GRANT SELECT, INSERT ON ledger.anchors TO annals_ledger;

-- The heads of accounts in epochs: a row where the head is another one than in the epoch before. Rows are
-- thinned: all for a day, then of an hour, then of a day. Only `checkpoint` is ever changed: it is signed
-- when it is first asked for.
CREATE TABLE ledger.account_heads (
  account_id text COLLATE "C" NOT NULL,
  log        smallint NOT NULL,
  epoch      bigint NOT NULL CHECK (epoch > 0),
  size       bigint NOT NULL CHECK (size > 0),
  root       bytea NOT NULL CHECK (octet_length(root) = 32),
  checkpoint text,
  PRIMARY KEY (account_id, log, epoch)
);

GRANT SELECT, INSERT, DELETE, UPDATE (checkpoint) ON ledger.account_heads TO annals_ledger;

-- What happens to events after they are stored: erasure of parts, holds, retention
-- (docs/adr/0053-rows-are-deleted-by-functions.md). The service still has no right to change or delete an
-- event. It calls functions that get an account and read what to do from a record in the account's own chain
-- (docs/adr/0054-records-in-the-accounts-chain.md).

-- How far the life of each account's events is. An account without a record has no row.
CREATE TABLE ledger.lifecycles (
  account_id       text COLLATE "C" PRIMARY KEY,
  -- the head when the row was made: only events with greater numbers are records
  records_from     bigint NOT NULL CHECK (records_from >= 0),
  -- number of the last annals.retention, and the last event that it names
  record_sequence  bigint NOT NULL DEFAULT 0,
  through_sequence bigint NOT NULL DEFAULT 0,
  -- events are deleted up to here, and their leaves up to here: a multiple of 256
  deleted_through  bigint NOT NULL DEFAULT 0,
  min_index        bigint NOT NULL DEFAULT 0,
  -- retention that is set for the account, in days. Until shorter_from, days_before is in force instead.
  -- Null: that of the plan
  days             integer CHECK (days > 0),
  days_before      integer CHECK (days_before > 0),
  shorter_from     timestamptz,
  -- whether events are archived before they are deleted, until when if they no longer are, and the last one
  -- that is
  archive          boolean NOT NULL DEFAULT false,
  archive_until    timestamptz,
  archived_through bigint NOT NULL DEFAULT 0,
  -- when its retention was last executed, and until when a replica has it
  checked_at       timestamptz,
  leased_until     timestamptz
) WITH (fillfactor = 50);

GRANT SELECT, UPDATE (record_sequence, through_sequence, days, days_before, shorter_from, archive, archive_until,
  archived_through, checked_at, leased_until) ON ledger.lifecycles TO annals_ledger;

-- Events that are neither erased nor deleted. The release of a hold is an update. What a hold covers never
-- changes.
CREATE TABLE ledger.holds (
  account_id    text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  from_sequence bigint NOT NULL CHECK (from_sequence > 0),
  to_sequence   bigint CHECK (to_sequence >= from_sequence), -- null: no end
  actor_id      text COLLATE "C", -- null: of all actors
  -- `account`, or `operator`: then no key of the account can release it
  owner         text COLLATE "C" NOT NULL CHECK (owner IN ('account', 'operator')),
  -- the numbers of its records
  placed_by     bigint NOT NULL,
  released_by   bigint,
  -- whether ledger.expire has read the record of the release, which retention has deleted since
  release_seen  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, id)
);

CREATE INDEX active_holds ON ledger.holds (account_id, placed_by) WHERE released_by IS NULL;

-- INSERT is of all columns, because a distributed PostgreSQL inserts the defaults, too.
GRANT SELECT, INSERT, UPDATE (released_by) ON ledger.holds TO annals_ledger;

-- Requests to erase. They are executed after a delay, in batches, with a record each.
CREATE TABLE ledger.erasures (
  account_id          text COLLATE "C" NOT NULL,
  id                  text COLLATE "C" NOT NULL,
  -- JSON with one member, actor_id, target_id or event_id; its salted digest once the erasure is completed
  selector            text,
  selector_sha256     bytea,
  -- the bits of events.erased
  parts               smallint NOT NULL CHECK (parts BETWEEN 1 AND 31),
  reference           text,
  -- the actor of its records, as canonical JSON
  actor               text NOT NULL,
  -- the last event that was stored when it was asked for, and how far it is
  up_to_sequence      bigint NOT NULL CHECK (up_to_sequence >= 0),
  done_through        bigint NOT NULL DEFAULT 0,
  -- the same of the events that only archives have, as the export service reports them
  reported_through    bigint NOT NULL DEFAULT 0,
  status              text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'cancelled')),
  -- when it may begin, or when another replica may continue it
  due_at              timestamptz NOT NULL,
  -- when it might begin, since when no event has the parts any more, and the number of its last record
  begins_at           timestamptz NOT NULL,
  done_at             timestamptz,
  last_record         bigint NOT NULL DEFAULT 0,
  erased              bigint NOT NULL DEFAULT 0,
  held                bigint NOT NULL DEFAULT 0,
  created_at          text COLLATE "C" NOT NULL,
  ended_at            text COLLATE "C",
  -- the last transaction that took something out of events or index: snapshots before it still see the values
  last_xid            bigint,
  vacuumed_at         timestamptz,
  exports_cleared_at  timestamptz,
  webhooks_cleared_at timestamptz,
  PRIMARY KEY (account_id, id),
  CHECK ((selector IS NULL) <> (selector_sha256 IS NULL))
) WITH (fillfactor = 50);

-- The open ones, which are few, and the order of lists.
CREATE INDEX erasures_open ON ledger.erasures (account_id) WHERE status IN ('pending', 'running');
CREATE INDEX erasures_unvacuumed ON ledger.erasures (account_id) WHERE done_at IS NOT NULL AND vacuumed_at IS NULL;
CREATE INDEX erasures_created_at ON ledger.erasures (account_id, created_at, id);

GRANT SELECT, INSERT, UPDATE ON ledger.erasures TO annals_ledger;

-- Makes the row of an account before its first record, with the head of this moment. The service has no right
-- to say where records begin. Called again it changes nothing.
CREATE FUNCTION ledger.begin_lifecycle(of_account text)
RETURNS void
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  last_number bigint;
BEGIN
  SELECT sequence_number INTO last_number FROM ledger.heads WHERE account_id = of_account;
  INSERT INTO ledger.lifecycles (account_id, records_from) VALUES (of_account, coalesce(last_number, 0))
  ON CONFLICT (account_id) DO NOTHING;
END
$$;

-- What this service changes is recorded: an entry for each change, added in its transaction. A worker appends
-- it to the system account's chain and then deletes it. `number` is the order of the entries, `id` keeps one
-- from being stored twice.
CREATE TABLE ledger.audit_outbox (
  account_id text COLLATE "C" NOT NULL,
  number     bigint GENERATED ALWAYS AS IDENTITY,
  id         text COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
  event      text NOT NULL, -- JSON
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, number)
);

CREATE INDEX audit_outbox_order ON ledger.audit_outbox (number);

GRANT SELECT, INSERT, DELETE ON ledger.audit_outbox TO annals_ledger;
-- A distributed PostgreSQL takes the numbers by the rights of the service.
GRANT USAGE ON SEQUENCE ledger.audit_outbox_number_seq TO annals_ledger;

-- How many changes of an account were recorded in a minute, by action: beyond a number they are only counted
-- (libs/postgres/src/audit-windows.ts). A row is added to in the transaction of the change, and deleted when
-- its minute is over.
CREATE TABLE ledger.audit_windows (
  account_id text COLLATE "C" NOT NULL,
  minute     text COLLATE "C" NOT NULL, -- UTC, 2026-01-31T09:30
  action     text COLLATE "C" NOT NULL,
  changes    bigint NOT NULL,
  PRIMARY KEY (account_id, minute, action)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.audit_windows TO annals_ledger;

-- The metadata of a record of the service. It raises an exception unless the event is what the chain has
-- hashed, is linked to its neighbours, is not beyond the head, and was stored since records exist.
CREATE FUNCTION ledger.record_of(of_account text, of_number bigint, of_action text)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  found_metadata jsonb;
BEGIN
  SELECT record.metadata::jsonb INTO found_metadata
  FROM ledger.events AS record
  JOIN ledger.heads AS head ON head.account_id = record.account_id
  WHERE record.account_id = of_account AND record.sequence_number = of_number AND record.action = of_action
    AND head.account_id = of_account
    AND record.erased = 0
    AND of_number <= head.sequence_number
    AND of_number > (SELECT records_from FROM ledger.lifecycles WHERE account_id = of_account)
    AND sha256(substring(record.salts, 49, 16) || convert_to(record.metadata, 'UTF8'))
      = substring(record.digests, 97, 32)
    AND record.previous_hash = coalesce(
      (SELECT hash FROM ledger.events WHERE account_id = of_account AND sequence_number = of_number - 1),
      decode(repeat('00', 32), 'hex'))
    AND record.hash = coalesce(
      (SELECT previous_hash FROM ledger.events WHERE account_id = of_account AND sequence_number = of_number + 1),
      head.hash)
    AND sha256('\x00'::bytea || convert_to(
      '{"action":' || to_json(record.action)::text
      || ',"chain":' || to_json(of_account)::text
      || ',"created_at":"' || record.created_at
      || '","digests":{"actor":"' || encode(substring(record.digests, 1, 32), 'hex')
      || '","context":"' || encode(substring(record.digests, 33, 32), 'hex')
      || '","diff":"' || encode(substring(record.digests, 65, 32), 'hex')
      || '","metadata":"' || encode(substring(record.digests, 97, 32), 'hex')
      || '","target":"' || encode(substring(record.digests, 129, 32), 'hex')
      || '"},"id":' || to_json(record.id)::text
      || ',"occurred_at":"' || record.occurred_at
      || '","previous_hash":"' || encode(record.previous_hash, 'hex')
      || '","received_at":"' || record.received_at
      || '","sequence_number":' || of_number::text
      || ',"v":1}', 'UTF8')) = record.hash;
  IF found_metadata IS NULL THEN
    RAISE EXCEPTION 'event % of % is not a record %', of_number, of_account, of_action;
  END IF;
  RETURN found_metadata;
END
$$;

-- Whether a hold is active: its release counts only with its record.
CREATE FUNCTION ledger.is_active(of_account text, hold_id text, released_by bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  said jsonb;
BEGIN
  IF released_by IS NULL THEN
    RETURN true;
  END IF;
  said := ledger.record_of(of_account, released_by, 'annals.hold');
  RETURN said->>'hold' IS DISTINCT FROM hold_id OR said->>'state' IS DISTINCT FROM 'released';
END
$$;

-- Erases what a record names, of at most 250 events, and returns how many events it has changed. It is called
-- in the transaction that appends the record, under the head's lock. Called again it changes nothing.
CREATE FUNCTION ledger.erase(of_account text, of_record bigint)
RETURNS bigint
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  most CONSTANT bigint := 250;
  no_salt CONSTANT bytea := decode(repeat('00', 16), 'hex');
  said CONSTANT jsonb := ledger.record_of(of_account, of_record, 'annals.erasure');
  named text[];
  bits integer;
  first_numbers bigint[];
  last_numbers bigint[];
  numbers bigint[];
  held record;
  declared record;
  gone record;
  changed bigint;
BEGIN
  SELECT array_agg(part),
    sum(1 << array_position(ARRAY['actor', 'context', 'diff', 'metadata', 'target'], part) - 1)
  INTO named, bits
  FROM (SELECT DISTINCT part FROM jsonb_array_elements_text(said->'parts') AS part) AS parts
  WHERE part IN ('actor', 'context', 'diff', 'metadata', 'target');
  SELECT array_agg(split_part(piece, '-', 1)::bigint),
    array_agg(coalesce(nullif(split_part(piece, '-', 2), ''), piece)::bigint)
  INTO first_numbers, last_numbers
  FROM regexp_split_to_table(said->>'sequence_numbers', ',') AS piece;
  -- Counted before they are listed: a range can name any number of events.
  IF named IS NULL OR first_numbers IS NULL OR (
    SELECT sum(last::numeric - first + 1) > most OR min(last - first) < 0 OR max(last) >= of_record
    FROM unnest(first_numbers, last_numbers) AS ranges (first, last)
  ) THEN
    RAISE EXCEPTION 'record % names no part, no event, too many events, or events that follow it', of_record;
  END IF;
  SELECT array_agg(DISTINCT number) INTO numbers
  FROM unnest(first_numbers, last_numbers) AS ranges (first, last)
  CROSS JOIN LATERAL generate_series(first, last) AS number;

  IF EXISTS (
    SELECT 1 FROM ledger.events
    WHERE account_id = of_account AND sequence_number = ANY (numbers)
      AND action IN ('annals.clock', 'annals.erasure', 'annals.hold', 'annals.retention')
  ) THEN
    RAISE EXCEPTION 'record % names a record, which cannot be erased', of_record;
  END IF;
  FOR held IN
    SELECT id, released_by FROM ledger.holds
    WHERE account_id = of_account AND NOT release_seen AND EXISTS (
      SELECT 1 FROM unnest(numbers) AS number
      WHERE number >= holds.from_sequence AND (holds.to_sequence IS NULL OR number <= holds.to_sequence)
        -- The actor of an event that retention has deleted is gone, so each hold covers it.
        AND (holds.actor_id IS NULL OR NOT EXISTS (
          SELECT 1 FROM ledger.events
          WHERE events.account_id = of_account AND events.sequence_number = number AND events.erased & 32 <> 32
            AND events.actor_id IS DISTINCT FROM holds.actor_id)))
  LOOP
    IF ledger.is_active(of_account, held.id, held.released_by) THEN
      RAISE EXCEPTION 'record % names an event that the hold % covers', of_record, held.id;
    END IF;
  END LOOP;

  -- The filter index holds plain values. What it has to forget is queued from the copies, which go with the parts.
  FOR gone IN
    SELECT sequence_number, copies.field, copies.key, copies.place
    FROM ledger.events
    CROSS JOIN LATERAL (
      SELECT field, CASE WHEN octet_length(value) > 256 THEN '' ELSE value END AS key, 1 AS place, part
      FROM (VALUES
        (2::smallint, actor_id, 'actor'), (3::smallint, actor_type, 'actor'), (4::smallint, target_id, 'target'),
        (5::smallint, target_type, 'target')
      ) AS copy (field, value, part)
      UNION ALL
      SELECT 6::smallint, key, place, 'metadata'
      FROM unnest(ledger.keys_of(metadata, ARRAY['outcome'], 'string', false)) WITH ORDINALITY AS outcome (key, place)
    ) AS copies
    WHERE account_id = of_account AND sequence_number = ANY (numbers)
      AND copies.key IS NOT NULL AND copies.part = ANY (named)
  LOOP
    INSERT INTO ledger.unindexed (account_id, sequence_number, field, key, place)
    VALUES (of_account, gone.sequence_number, gone.field, gone.key, gone.place)
    ON CONFLICT (account_id, sequence_number, field, place) DO NOTHING;
  END LOOP;

  -- A deleted field still has blocks.
  FOR declared IN
    SELECT field, path, type, ignore_case FROM ledger.fields WHERE account_id = of_account AND path[1] = ANY (named)
  LOOP
    FOR gone IN
      SELECT sequence_number, key, place
      FROM ledger.events
      CROSS JOIN LATERAL unnest(ledger.keys_of(
        ledger.part_of(declared.path[1], actor, context, diff, metadata, target),
        declared.path[2:], declared.type, declared.ignore_case)) WITH ORDINALITY AS found (key, place)
      WHERE account_id = of_account AND sequence_number = ANY (numbers)
    LOOP
      INSERT INTO ledger.unindexed (account_id, sequence_number, field, key, place)
      VALUES (of_account, gone.sequence_number, declared.field, gone.key, gone.place)
      ON CONFLICT (account_id, sequence_number, field, place) DO NOTHING;
    END LOOP;
  END LOOP;

  UPDATE ledger.events SET
    actor = CASE WHEN bits & 1 > 0 THEN '{}' ELSE actor END,
    context = CASE WHEN bits & 2 > 0 THEN '{}' ELSE context END,
    diff = CASE WHEN bits & 4 > 0 THEN '{}' ELSE diff END,
    metadata = CASE WHEN bits & 8 > 0 THEN '{}' ELSE metadata END,
    target = CASE WHEN bits & 16 > 0 THEN '{}' ELSE target END,
    salts =
      CASE WHEN bits & 1 > 0 THEN no_salt ELSE substring(salts, 1, 16) END
      || CASE WHEN bits & 2 > 0 THEN no_salt ELSE substring(salts, 17, 16) END
      || CASE WHEN bits & 4 > 0 THEN no_salt ELSE substring(salts, 33, 16) END
      || CASE WHEN bits & 8 > 0 THEN no_salt ELSE substring(salts, 49, 16) END
      || CASE WHEN bits & 16 > 0 THEN no_salt ELSE substring(salts, 65, 16) END,
    erased = erased | bits,
    actor_id = CASE WHEN bits & 1 = 0 THEN actor_id END,
    actor_type = CASE WHEN bits & 1 = 0 THEN actor_type END,
    target_id = CASE WHEN bits & 16 = 0 THEN target_id END,
    target_type = CASE WHEN bits & 16 = 0 THEN target_type END
  WHERE account_id = of_account AND sequence_number = ANY (numbers) AND erased & bits <> bits;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END
$$;

-- Deletes what the last annals.retention names, one chunk at most, and returns how many events; 0 once
-- nothing is left. Events go up to the number in the record. Leaves go up to a multiple of 256, so that a
-- bundle of entries is complete or gone.
CREATE FUNCTION ledger.expire(of_account text)
RETURNS bigint
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  size CONSTANT bigint := 4096;
  youngest CONSTANT text :=
    to_char((now() - interval '2 days') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  record_number bigint;
  deleted bigint;
  leaves bigint;
  named bigint;
  through bigint;
  of_chunk bigint;
  to_number bigint;
  held record;
  segment record;
  fields smallint[];
BEGIN
  SELECT deleted_through, through_sequence INTO deleted, through
  FROM ledger.lifecycles WHERE account_id = of_account;
  IF NOT FOUND OR deleted >= through THEN
    RETURN 0;
  END IF;
  of_chunk := deleted / size;
  -- A chunk that is not indexed yet may be indexed at this moment: that holds the head FOR KEY SHARE. Records lock
  -- the head before the row of the account, and so does this.
  IF NOT EXISTS (
    SELECT 1 FROM ledger.segments WHERE account_id = of_account AND level = 0 AND base = of_chunk * size
  ) THEN
    PERFORM 1 FROM ledger.heads WHERE account_id = of_account FOR UPDATE;
  END IF;
  -- A sealed segment becomes fresh ones, made of its events, and retention then goes through those. That takes a
  -- second, so it is done before the row of the account is locked.
  SELECT * INTO segment FROM ledger.lock_segment(of_account, deleted + 1);
  -- Deleted fields are among them.
  SELECT ARRAY[1, 2, 3, 4, 5, 6]::smallint[] || coalesce(array_agg(field), '{}') INTO fields
  FROM ledger.fields WHERE account_id = of_account;
  IF segment.of_level = 1 THEN
    DELETE FROM ledger.blocks
    WHERE account_id = of_account AND field = ANY (fields) AND level = 1 AND base = segment.of_base;
    DELETE FROM ledger.blocks
    WHERE account_id = of_account AND field = ANY (fields) AND level = 0 AND base >= segment.of_base
      AND base < segment.of_base + 65536;
    DELETE FROM ledger.segments WHERE account_id = of_account AND level = 1 AND base = segment.of_base;
    FOR fresh IN 0..15 LOOP
      PERFORM ledger.make_blocks(of_account, segment.of_base + fresh * size);
    END LOOP;
  END IF;
  SELECT record_sequence, through_sequence, deleted_through, min_index
  INTO record_number, through, deleted, leaves
  FROM ledger.lifecycles WHERE account_id = of_account FOR UPDATE;
  -- Another call may have ended the chunk meanwhile: the next call goes on.
  IF NOT FOUND OR deleted >= through OR deleted / size <> of_chunk THEN
    RETURN 0;
  END IF;
  named := ledger.record_of(of_account, record_number, 'annals.retention')->>'through_sequence';
  IF named IS DISTINCT FROM through OR through >= record_number THEN
    RAISE EXCEPTION 'record % does not name the events up to %', record_number, through;
  END IF;
  FOR held IN
    SELECT id, released_by FROM ledger.holds
    WHERE account_id = of_account AND NOT release_seen AND from_sequence <= through
  LOOP
    IF ledger.is_active(of_account, held.id, held.released_by) THEN
      RAISE EXCEPTION 'the hold % covers an event up to %', held.id, through;
    END IF;
  END LOOP;
  to_number := least(through, (of_chunk + 1) * size);
  IF EXISTS (
    SELECT 1 FROM ledger.events
    WHERE account_id = of_account AND created_at >= youngest
      AND (sequence_number = through OR sequence_number > deleted AND sequence_number <= to_number)
  ) THEN
    RAISE EXCEPTION 'an event up to % is younger than two days', through;
  END IF;
  -- Records of releases are deleted, too, and so are the links of the first event that stays: they are read now.
  FOR held IN
    SELECT id, released_by FROM ledger.holds
    WHERE account_id = of_account AND NOT release_seen AND released_by <= to_number + 1
  LOOP
    IF NOT ledger.is_active(of_account, held.id, held.released_by) THEN
      UPDATE ledger.holds SET release_seen = true WHERE account_id = of_account AND id = held.id;
    END IF;
  END LOOP;

  DELETE FROM ledger.events
  WHERE account_id = of_account AND sequence_number > leaves AND sequence_number <= to_number / 256 * 256;
  UPDATE ledger.events SET
    actor = '{}', context = '{}', diff = '{}', metadata = '{}', target = '{}',
    salts = decode(repeat('00', 80), 'hex'), erased = 63,
    actor_id = NULL, actor_type = NULL, target_id = NULL, target_type = NULL, key_id = NULL
  WHERE account_id = of_account
    AND sequence_number > greatest(deleted, to_number / 256 * 256) AND sequence_number <= to_number;
  UPDATE ledger.lifecycles SET deleted_through = to_number, min_index = to_number / 256 * 256
  WHERE account_id = of_account;

  -- The index of what is left is made anew, so that no value outlives its last event.
  IF segment.of_level IS NOT NULL THEN
    DELETE FROM ledger.blocks
    WHERE account_id = of_account AND field = ANY (fields) AND level = 0 AND base = of_chunk * size;
    PERFORM ledger.make_blocks(of_account, of_chunk * size);
  END IF;
  RETURN to_number - deleted;
END
$$;

REVOKE EXECUTE ON FUNCTION ledger.begin_lifecycle, ledger.record_of, ledger.is_active, ledger.erase, ledger.expire FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.begin_lifecycle, ledger.erase, ledger.expire TO annals_ledger;

-- Erased and deleted rows leave the files with VACUUM. PostgreSQL before 17 does not know the right: there
-- autovacuum removes them, and soon.
DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 170000 THEN
    EXECUTE 'GRANT MAINTAIN ON ledger.events, ledger.blocks, ledger.unindexed, ledger.searches TO annals_ledger';
  ELSE
    EXECUTE 'ALTER TABLE ledger.events SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)';
    EXECUTE 'ALTER TABLE ledger.blocks SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
      vacuum_index_cleanup = on)';
    EXECUTE 'ALTER TABLE ledger.unindexed SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
      vacuum_index_cleanup = on)';
    EXECUTE 'ALTER TABLE ledger.searches SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)';
  END IF;
END
$$;

-- The erasures that an account has asked for in a day, with those that it has cancelled. One row for each account,
-- of the last day of UTC in which there was something to count.
CREATE TABLE ledger.daily_uses (
  account_id text COLLATE "C" PRIMARY KEY,
  day        date NOT NULL,
  used       bigint NOT NULL CHECK (used >= 0)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.daily_uses TO annals_ledger;

-- What requests with an idempotency key have created, so that a retry gets it again (libs/postgres/src/idempotent-requests.ts).
CREATE TABLE ledger.idempotent_requests (
  account_id      text COLLATE "C" NOT NULL,
  operation       text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_sha256  bytea NOT NULL CHECK (octet_length(request_sha256) = 32),
  -- what was created, without its secrets
  response        bytea NOT NULL,
  created_at      timestamptz NOT NULL,
  PRIMARY KEY (account_id, operation, idempotency_key)
);

CREATE INDEX idempotent_requests_created_at ON ledger.idempotent_requests (created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.idempotent_requests TO annals_ledger;
