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
