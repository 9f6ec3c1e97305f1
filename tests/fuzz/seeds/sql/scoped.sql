SELECT count(*), max(dur_ns) FROM launches WHERE time = '0..500us' AND device = '0' AND filter = 'mm' AND thread = '1'
