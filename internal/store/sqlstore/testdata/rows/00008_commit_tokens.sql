-- The eighth version keeps no other rows than the fifth; on PostgreSQL see postgres/.
SELECT 1;
