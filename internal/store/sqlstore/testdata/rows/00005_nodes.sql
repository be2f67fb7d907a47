-- Rows as the fifth version keeps them, beside those of the fourth.
INSERT INTO leases (name, holder, until_at) VALUES ('duty', 'node', 1767225600001);
