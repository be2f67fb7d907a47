-- Rows as the twenty-fifth version keeps them, and its columns of a program and a key.
UPDATE programs SET four_eyes = TRUE;
UPDATE api_keys SET label = 'shop';
INSERT INTO key_uses (key_name, used_at) VALUES ('example1', 1767225600001);
UPDATE webhook_replays SET types = '["card.*"]';
