-- A stored aggregation: the iteration list and two pieces of advice.
CREATE TABLE model_summary (id INTEGER PRIMARY KEY, aggr_id INTEGER, domain_id INTEGER,  wall_time INTEGER, iter_total INTEGER, iter_aggregated INTEGER,  iter_start INTEGER, iter_stop INTEGER, gpu_utilization REAL, key_node_id INTEGER);
INSERT INTO model_summary VALUES (1, 1, 1, 298, 3, 3, 0, 2, 40.25, 2);
CREATE TABLE iteration_list (id INTEGER PRIMARY KEY, aggr_id INTEGER, iter_value INTEGER,  start_time INTEGER, stop_time INTEGER);
INSERT INTO iteration_list VALUES (1, 1, 0, 0, 99), (2, 1, 1, 100, 199),  (3, 1, 2, 200, 300);
CREATE TABLE expert_systems_feedback (id INTEGER PRIMARY KEY, aggr_id INTEGER,  exp_sys_id TEXT, problem TEXT, recommendation TEXT);
INSERT INTO expert_systems_feedback VALUES (1, 1, 'a', 'one, "two"', 'three'),  (2, 1, 'b', 'four', 'five'), (3, 7, 'c', 'of another aggregation', 'six');
