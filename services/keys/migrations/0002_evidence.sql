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
