-- A fence that was lifted.
UPDATE programs SET fenced_at = NULL WHERE program_id = 1;
