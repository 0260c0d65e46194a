-- The filter index: which events of a chunk of 4,096 numbers have which value, and between which times they occurred.
-- It takes the place of five indexes on events, each of which got an entry with every event while the client waited
-- (docs/adr/0017-filters-indexed-behind-the-append.md), and of the time blocks.
--
-- A chain's rows never change, so neither does a chunk of which every number is taken. The service indexes chunk after
-- chunk in the background, without a gap. What lies behind the last one is searched event by event. After a repair of a
-- chain by hand delete the account's rows of both tables: they are made anew.

CREATE TABLE ledger.chunks (
  account_id text COLLATE "C" NOT NULL,
  -- chunk c has the numbers from 4096 * c + 1 to 4096 * (c + 1)
  chunk      bigint NOT NULL CHECK (chunk >= 0),
  -- least and greatest occurred_at of its events
  earliest   text COLLATE "C" NOT NULL,
  latest     text COLLATE "C" NOT NULL,
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

-- What the postings of a chunk have to be, from its events: for whoever makes and whoever verifies them.
CREATE FUNCTION ledger.postings_of(of_account text, of_chunk bigint)
RETURNS TABLE (field text, value text, ordinals smallint[])
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT members.field COLLATE "C", members.value COLLATE "C",
    array_agg(((sequence_number - 1) % 4096)::smallint ORDER BY sequence_number)
  FROM (
    SELECT 'action' AS field, action AS value, sequence_number FROM ledger.chain
    WHERE account_id = of_account
      AND sequence_number > 4096 * of_chunk AND sequence_number <= 4096 * (of_chunk + 1)
    UNION ALL
    SELECT copies.field, copies.value, sequence_number FROM ledger.payloads
    CROSS JOIN LATERAL (VALUES
      ('actor_id', actor_id), ('actor_type', actor_type), ('target_id', target_id), ('target_type', target_type)
    ) AS copies (field, value)
    WHERE account_id = of_account
      AND sequence_number > 4096 * of_chunk AND sequence_number <= 4096 * (of_chunk + 1)
      AND copies.value IS NOT NULL
  ) AS members
  GROUP BY 1, 2;
END;

-- Of what is stored. It takes about ten seconds for each million events, and appends go on meanwhile.
DO $$
DECLARE
  head record;
BEGIN
  FOR head IN SELECT account_id, sequence_number FROM ledger.heads ORDER BY account_id LOOP
    FOR at IN 0 .. head.sequence_number / 4096 - 1 LOOP
      INSERT INTO ledger.chunks
      SELECT head.account_id, at, min(occurred_at), max(occurred_at) FROM ledger.chain
      WHERE account_id = head.account_id AND sequence_number > 4096 * at AND sequence_number <= 4096 * (at + 1);
      INSERT INTO ledger.postings
      SELECT head.account_id, field, value, at, ordinals FROM ledger.postings_of(head.account_id, at);
    END LOOP;
  END LOOP;
END
$$;

-- The release before runs on without them: its lists with filters are slower. It goes on filling the time blocks, which
-- this release neither reads nor fills.
DROP INDEX ledger.chain_action;
DROP INDEX ledger.payloads_actor_id;
DROP INDEX ledger.payloads_actor_type;
DROP INDEX ledger.payloads_target_id;
DROP INDEX ledger.payloads_target_type;
