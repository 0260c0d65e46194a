-- Exports end: by their retention, or deleted by their account. And accounts take turns.
--
-- deleted_at: an export that is to be removed. No client sees it any more. Its files are deleted first, then its row;
--   not before due_at, when the lease of a worker that still writes has ended. Its status is no longer one that may be
--   taken, so the release before does not take it either; until the row is gone that release still shows it.
-- taken_at: when a worker last took it. Accounts take turns by it (list-waiting-accounts.ts).

ALTER TABLE exports.jobs
  ADD COLUMN deleted_at text COLLATE "C",
  ADD COLUMN taken_at timestamptz;

CREATE INDEX jobs_deleted ON exports.jobs (account_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX jobs_oldest ON exports.jobs (created_at) WHERE deleted_at IS NULL;
CREATE INDEX jobs_turns ON exports.jobs (account_id, taken_at);
CREATE INDEX jobs_waiting ON exports.jobs (account_id, due_at, id) WHERE status IN ('pending', 'running');

GRANT UPDATE (deleted_at, taken_at), DELETE ON exports.jobs TO annals_exports;
