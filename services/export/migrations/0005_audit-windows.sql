-- How many changes of an account were recorded in a minute, by action: beyond a number they are only counted
-- (libs/postgres/src/audit-windows.ts). A row is added to in the transaction of the change, and deleted when its
-- minute is over.

CREATE TABLE exports.audit_windows (
  account_id text COLLATE "C" NOT NULL,
  minute     text COLLATE "C" NOT NULL, -- UTC, 2026-01-31T09:30
  action     text COLLATE "C" NOT NULL,
  changes    bigint NOT NULL,
  PRIMARY KEY (account_id, minute, action)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON exports.audit_windows TO annals_exports;
