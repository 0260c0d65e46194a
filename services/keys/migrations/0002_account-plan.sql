-- The plan of each account: a name in the operator's file of plans (ANNALS_PLANS_FILE), or null for the
-- file's default. The right to change it is also the right to lock an account's row, which counts its keys
-- exactly.

ALTER TABLE keys.accounts ADD COLUMN plan text COLLATE "C";

GRANT UPDATE (plan) ON keys.accounts TO annals_keys;
