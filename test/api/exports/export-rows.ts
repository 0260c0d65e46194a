// Rows of exports that no worker takes: they are due in an hour. For the tests of what exports of each
// status, and of a number of them, do.

import type { ownerOf } from "@annals/testing";

export async function insertJobs(
  owner: ReturnType<typeof ownerOf>,
  jobs: { readonly accountId: string; readonly status: string; readonly ids: readonly string[] },
): Promise<void> {
  await owner.query(
    `INSERT INTO exports.jobs (account_id, id, format, include_proofs, filter_json, filter, head_sequence, head_hash,
       created_at, status, due_at)
     SELECT $1, id, 'jsonl', false, '{}', '', 0, '',
       to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), $2, now() + interval '1 hour'
     FROM unnest($3::text[]) AS given (id)`,
    [jobs.accountId, jobs.status, jobs.ids],
  );
}
