-- An erased customer of whom copies are left, and a webhook that is deleted.
INSERT INTO erasures (customer_id, to_operators, key_name, route, idempotency_key)
    SELECT MIN(customer_id), TRUE, 'operator:1', 'POST /a', 'k' FROM customers;
UPDATE webhooks SET deleted_at = 1767225600003, answers_emptied = 1 WHERE webhook_id = 1;
