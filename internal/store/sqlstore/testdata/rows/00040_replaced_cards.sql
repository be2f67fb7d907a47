-- A card that another one has replaced.
UPDATE cards SET replaced_by = 10002 WHERE card_id = 10001;
