-- Of a delivery's three versions two are dead within seconds, and the index of the queues keeps an entry for each
-- until a vacuum: a claim steps over those that lie before the first one due. So a vacuum comes after a number of
-- dead rows rather than after a share of the table, which holds weeks of history, and goes at full speed.
ALTER TABLE webhooks.deliveries SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 100000,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);
