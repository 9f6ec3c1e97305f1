SELECT * FROM operators('shape') WHERE device = 0 UNION ALL SELECT * FROM operators WHERE group_by = 'shape' AND rank = 0
