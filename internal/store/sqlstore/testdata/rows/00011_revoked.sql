-- A secret that was taken from the key of the versions before.
UPDATE api_keys SET revoked_at = NULL;
INSERT INTO retired_secrets (digest, key_name, retired_at) VALUES ('digest', 'key', 1767225600001);
