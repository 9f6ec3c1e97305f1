SELECT k.name, sum(l.dur_ns) FROM kernels k JOIN launches l ON l.name = k.name LEFT JOIN operators o ON o.name = l.operator GROUP BY k.name HAVING count(*) > 0
