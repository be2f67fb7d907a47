-- A key of the twelfth version may ask for compatibility.
UPDATE api_keys SET compatibility = '["earlier-clients"]' WHERE name = 'key';
