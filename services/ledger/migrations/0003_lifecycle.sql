-- What happens to events after they are stored: erasure of parts, holds, retention
-- (docs/adr/0053-rows-are-deleted-by-functions.md). The service still has no right to change or delete an
-- event. It calls functions that get an account and read what to do from a record in the account's own chain
-- (docs/adr/0054-records-in-the-accounts-chain.md).

-- The erased parts: actor 1, context 2, diff 4, metadata 8, target 16. An erased part is the text {}, with
-- zeros in place of its salt; its digest stays. 32: retention has deleted the event, and the row is only its
-- leaf.
ALTER TABLE ledger.events ADD COLUMN erased smallint NOT NULL DEFAULT 0;

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
  -- the transaction of its last batch: snapshots before it still see the values
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
      AND action IN ('annals.erasure', 'annals.hold', 'annals.retention')
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

  -- The filter index first, because it holds plain values: its rows are found by the copies, which go last.
  UPDATE ledger.postings SET ordinals = ARRAY(
    SELECT unnest(postings.ordinals) EXCEPT SELECT unnest(gone.ordinals) ORDER BY 1)
  FROM (
    SELECT copies.field, copies.value, (sequence_number - 1) / 4096 AS chunk,
      array_agg(((sequence_number - 1) % 4096)::smallint) AS ordinals
    FROM ledger.events
    CROSS JOIN LATERAL (VALUES
      ('actor_id', actor_id, 'actor'), ('actor_type', actor_type, 'actor'), ('target_id', target_id, 'target'),
      ('target_type', target_type, 'target')
    ) AS copies (field, value, part)
    WHERE account_id = of_account AND sequence_number = ANY (numbers)
      AND copies.value IS NOT NULL AND copies.part = ANY (named)
    GROUP BY 1, 2, 3
  ) AS gone
  WHERE postings.account_id = of_account AND postings.field = gone.field AND postings.value = gone.value
    AND postings.chunk = gone.chunk;
  DELETE FROM ledger.postings
  USING (
    SELECT DISTINCT copies.field, copies.value, (sequence_number - 1) / 4096 AS chunk
    FROM ledger.events
    CROSS JOIN LATERAL (VALUES
      ('actor_id', actor_id), ('actor_type', actor_type), ('target_id', target_id), ('target_type', target_type)
    ) AS copies (field, value)
    WHERE account_id = of_account AND sequence_number = ANY (numbers) AND copies.value IS NOT NULL
  ) AS gone
  WHERE postings.account_id = of_account AND postings.field = gone.field AND postings.value = gone.value
    AND postings.chunk = gone.chunk AND postings.ordinals = '{}';

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
BEGIN
  SELECT deleted_through / size INTO of_chunk FROM ledger.lifecycles WHERE account_id = of_account;
  -- A chunk that is not indexed yet may be indexed at this moment: that holds the head FOR KEY SHARE. Records lock
  -- the head before the row of the account, and so does this.
  IF NOT EXISTS (SELECT 1 FROM ledger.chunks WHERE account_id = of_account AND chunk = of_chunk) THEN
    PERFORM 1 FROM ledger.heads WHERE account_id = of_account FOR UPDATE;
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

  -- Postings whose last event goes.
  DELETE FROM ledger.postings
  USING (
    SELECT copies.field, copies.value, max(sequence_number) AS last
    FROM ledger.events
    CROSS JOIN LATERAL (VALUES
      ('action', action), ('actor_id', actor_id), ('actor_type', actor_type), ('target_id', target_id),
      ('target_type', target_type)
    ) AS copies (field, value)
    WHERE account_id = of_account
      AND sequence_number > of_chunk * size AND sequence_number <= (of_chunk + 1) * size
      AND copies.value IS NOT NULL
    GROUP BY 1, 2
  ) AS live
  WHERE postings.account_id = of_account AND postings.field = live.field AND postings.value = live.value
    AND postings.chunk = of_chunk AND live.last <= to_number;
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
    EXECUTE 'GRANT MAINTAIN ON ledger.events, ledger.postings TO annals_ledger';
  ELSE
    EXECUTE 'ALTER TABLE ledger.events SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)';
    EXECUTE 'ALTER TABLE ledger.postings SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
      vacuum_index_cleanup = on)';
  END IF;
END
$$;
