SELECT 'attributes', count(*) FROM "attributes" UNION ALL SELECT 'info', count(*) FROM "info"
