-- Nothing: what PostgreSQL needs here, the embedded database does not know. It changes a row in
-- place. The number is taken because the migrations of both databases have the same numbers.

-- +goose Up
