-- PostgreSQL plans by what it last counted. By default it counts anew after a tenth of a table has changed: an
-- account that came later is taken for empty for hours, and a list of its events may then walk all of them.

ALTER TABLE ledger.chain SET (autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 5000);
ALTER TABLE ledger.payloads SET (autovacuum_analyze_scale_factor = 0.01, autovacuum_analyze_threshold = 5000);
