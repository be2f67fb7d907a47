-- Nothing: a commit to a file is answered by the same process, or that has ended. The number is
-- taken because the migrations of both databases have the same numbers.

-- +goose Up
SELECT 1;
