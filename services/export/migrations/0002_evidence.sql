-- Exports as bundles of evidence: another format of the file. Its head is that of the account's tree: the
-- size in head_sequence, the root in head_hash.

ALTER TABLE exports.jobs DROP CONSTRAINT jobs_format_check;
ALTER TABLE exports.jobs ADD CONSTRAINT jobs_format_check CHECK (format IN ('jsonl', 'csv', 'evidence'));
