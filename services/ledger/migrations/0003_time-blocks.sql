-- Where in a chain to look for a time. occurred_at is the client's, so it rises with the sequence number for the most
-- part and not always: no index in the order of the sequence number holds it. Of each block of 1,024 numbers this
-- table says between which times its events occurred, so that a list by time passes over all others.
--
-- A chain's rows never change, so neither does a block of which every number is taken. The service fills the table in
-- the background, block after block without a gap; what lies behind the last one is searched event by event. After a
-- repair of a chain by hand delete the account's rows here: they are made anew.
CREATE TABLE ledger.time_blocks (
  account_id text COLLATE "C" NOT NULL,
  -- block b has the numbers from 1024 * b + 1 to 1024 * (b + 1)
  block      bigint NOT NULL CHECK (block >= 0),
  -- least and greatest occurred_at of its events
  earliest   text COLLATE "C" NOT NULL,
  latest     text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, block)
);

GRANT SELECT, INSERT ON ledger.time_blocks TO annals_ledger;
