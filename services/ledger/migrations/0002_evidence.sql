-- The tree of each account's chain: leaf i is the event with the sequence number i + 1, and its leaf hash is
-- the event's hash. Trees follow behind the appends. A tile is determined by the chain, so it is inserted once
-- and never changed.

CREATE TABLE ledger.trees (
  account_id text COLLATE "C" PRIMARY KEY,
  size       bigint NOT NULL CHECK (size > 0),
  root       bytea NOT NULL CHECK (octet_length(root) = 32),
  -- the roots of the complete subtrees, the largest first: a hash for each bit of the size
  frontier   bytea NOT NULL CHECK (octet_length(frontier) > 0 AND octet_length(frontier) % 32 = 0)
) WITH (fillfactor = 50);

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
