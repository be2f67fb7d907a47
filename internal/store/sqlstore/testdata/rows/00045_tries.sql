-- An order that a try did not deliver.
UPDATE orders SET tries = '[{"at":"2026-01-01T00:00:00Z","node":"embedded","outcome":"unreached"}]'
    WHERE card_id = 10001 AND sequence = 1;
