-- Exports as Apache Parquet: another format of the file.

ALTER TABLE exports.jobs DROP CONSTRAINT jobs_format_check;
ALTER TABLE exports.jobs ADD CONSTRAINT jobs_format_check
  CHECK (format IN ('jsonl', 'csv', 'parquet', 'evidence'));
