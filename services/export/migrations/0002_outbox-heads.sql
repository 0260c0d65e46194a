-- One outbox for all services: positions are counted in a row of their own, which is locked until the commit, in
-- place of an advisory lock. And the service may delete entries that were read or are too old
-- (docs/adr/0014-one-outbox.md).

CREATE TABLE exports.outbox_heads (
  account_id text COLLATE "C" PRIMARY KEY,
  position   bigint NOT NULL CHECK (position > 0)
) WITH (fillfactor = 50);

INSERT INTO exports.outbox_heads (account_id, position)
SELECT account_id, max(position) FROM exports.outbox GROUP BY account_id;

GRANT SELECT, INSERT, UPDATE ON exports.outbox_heads TO annals_exports;
GRANT DELETE ON exports.outbox TO annals_exports;

-- While replicas of the release before run, they count from the last entry under the advisory lock and leave the
-- head as it is. No position is given twice:
-- - This release takes the greater of the head and the last entry, so a head that was left behind does no harm.
-- - The last entry of an account is never deleted, so the release before, or a return to it, counts on from it.
-- - Where both count at the same moment, the primary key of exports.outbox makes the later one wait for the commit of
--   the earlier one and then refuses it. Its job is not completed either; the worker tries it again.
