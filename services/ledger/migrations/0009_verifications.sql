-- What the scheduled verification has done: how far each chain was found valid, and when it last was as a whole. The next one
-- continues there. It is no proof: whoever may change the chain may change this too.

CREATE TABLE ledger.verifications (
  account_id      text COLLATE "C" PRIMARY KEY,
  -- the last event that was found valid, and its hash; 0 before the first
  sequence_number bigint NOT NULL CHECK (sequence_number >= 0),
  hash            text NOT NULL,
  verified_at     timestamptz, -- when it was valid up to its head; null before the first time
  due_at          timestamptz NOT NULL -- when a replica may take it: the end of a lease, or of an interval
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON ledger.verifications TO annals_ledger;
