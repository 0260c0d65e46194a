-- The outbox: what happened once and subscribers are told of, kept so that nothing depends on a notice. And
-- what the monthly quota of a plan needs to know of each chain.

-- Finished verifications. The service can add entries and can neither change nor delete them.
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

GRANT SELECT, INSERT ON ledger.outbox TO annals_ledger;

-- The last position of each account's outbox. Whoever adds an entry holds this row's lock until it has
-- committed: that makes the positions gapless, and visible in their order.
CREATE TABLE ledger.outbox_heads (
  account_id text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL CHECK (position > 0)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.outbox_heads TO annals_ledger;

-- Sequence numbers have no gaps, so the events of a month are those after the number at which it began.
-- month is of UTC, YYYY-MM, of the last append's created_at; empty until the first append of this release,
-- which begins to count.
ALTER TABLE ledger.heads
  ADD COLUMN month text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN month_start bigint NOT NULL DEFAULT 0;
