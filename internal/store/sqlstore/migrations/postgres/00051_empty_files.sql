-- A file of reports may announce no report: line_count may be 0.
-- Contracts: the CHECK of processor_files.line_count, which allows 0 now. The version before writes
-- only files with lines, and reads both.

-- +goose Up
ALTER TABLE processor_files
    DROP CONSTRAINT processor_files_line_count_check,
    ADD CONSTRAINT processor_files_line_count_check CHECK (line_count >= 0);
