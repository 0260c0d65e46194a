// The issuer of a workload, as the operator's file has it now. A part of every statement that admits what a
// workload sends or has made.

import { fileEntries } from "./file-entries.ts";

/**
 * In a query that has the row `workload` of keys.workloads: a join with the file's issuer of its name, as
 * `issuer`. No row: the file has none of that name now, or not for this account. The parameters are
 * {@link EntryParams}, from the given number on.
 */
export const acceptedIssuer = (
  first: number,
): string => `JOIN ${fileEntries(first)} AS issuer ON issuer.name = workload.issuer
    AND (issuer.accounts IS NULL OR workload.account_id = ANY (issuer.accounts::text[]))`;
