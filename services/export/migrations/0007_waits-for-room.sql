-- An export that finds no room while others of its account are being written is put back, and does not fail.
--
-- waits_for_room: it was put back. While the account has such an export its exports are written one at a time, so that
--   none of them takes the room of another again. It is never reset: a completed or failed export does not count.

ALTER TABLE exports.jobs ADD COLUMN waits_for_room boolean NOT NULL DEFAULT false;

GRANT UPDATE (waits_for_room) ON exports.jobs TO annals_exports;
