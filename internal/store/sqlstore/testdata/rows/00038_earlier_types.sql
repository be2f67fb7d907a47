-- A webhook whose types have changed.
UPDATE webhooks SET earlier_types = '[{"types":["card.locked"],"event":7,"at":"2026-01-01T00:00:00Z"}]'
    WHERE webhook_id = 1;
