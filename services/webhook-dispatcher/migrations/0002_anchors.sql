-- What is to sign the checkpoints of the log: the witnesses of the policy, and the time stamping authority. A
-- row is claimed by its time, so that replicas do not ask twice. The table names no account. It is small, and
-- a distributed PostgreSQL keeps it on one server.
CREATE TABLE webhooks.anchors (
  kind   text COLLATE "C" NOT NULL CHECK (kind IN ('witness', 'timestamp')),
  name   text COLLATE "C" NOT NULL,
  -- of the newest checkpoint that it has seen
  size   bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  -- the newest checkpoint that it has signed: the proof, if the log does not have it later
  checkpoint text,
  -- when it may be asked next
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  -- of the first request since its last signature that gave none
  failing_since timestamptz,
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON webhooks.anchors TO annals_webhooks;
