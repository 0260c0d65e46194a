-- Nothing reads or writes this table since the filter index (0006). It stays, because every migrate repeats the grant of
-- 0003, and the role may no longer use it.

REVOKE ALL ON ledger.time_blocks FROM annals_ledger;
