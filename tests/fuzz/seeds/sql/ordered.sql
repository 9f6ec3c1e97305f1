SELECT name, dur_ns FROM launches WHERE dur_ns > 100 AND dur_ns <= 200000 AND stream = 7 ORDER BY dur_ns DESC, name LIMIT 3 OFFSET 1
