-- The service may delete entries of the outbox that were read or are too old (docs/adr/0014-one-outbox.md). It still
-- cannot change one. The release before neither needs the right nor is disturbed: the last entry of each account stays.

GRANT DELETE ON ledger.outbox TO annals_ledger;
