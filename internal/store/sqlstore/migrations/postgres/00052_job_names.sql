-- Renames jobs. Nodes of the previous version insert the old names again: stop them first.

-- +goose Up
UPDATE jobs SET name = CASE name
    WHEN 'digest numbers under the next key' THEN 're-hash card numbers'
    WHEN 'end old holds' THEN 'expire holds'
    WHEN 'forget old answers' THEN 'delete old answers'
    WHEN 'forget old deliveries' THEN 'delete old deliveries'
    WHEN 'forget old reconciliations' THEN 'delete old reconciliations'
    WHEN 'forget people in old rows' THEN 'erase old personal data'
    WHEN 're-seal under keys of banks' THEN 're-encrypt under bank keys'
    WHEN 'warn of keys that expire' THEN 'warn about expiring keys'
    ELSE name END;
