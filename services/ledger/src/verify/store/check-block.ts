// Recomputes a block of a chain inside PostgreSQL, so that no row has to travel: the digests of the stored
// parts, the leaf with its hash, the links from row to row, the copies for filters (docs/hash-chain.md). It
// returns how many rows there are and how many of them are valid: a block is valid if both numbers are its
// size, and nothing else may be concluded. The verifier finds which row is invalid, and why
// (rules/chain-verifier.ts). The leaf of a deleted event is not valid here. A null anywhere makes a row
// invalid, and text that is not JSON fails the statement.
//
// The inner query reads the rows, each with the previous one; the next one checks each row. to_json of a text
// escapes as RFC 8785 does. The offset keeps PostgreSQL from moving the checks into the query of the rows,
// where it would parse actor and target once for each mention.

import { DIGEST_BYTES, PARTS, SALT_BYTES } from "@annals/event";
import { statement } from "@annals/postgres";
import { IS_KEPT } from "../../store/find-matches.ts";

/** Both ends are included. */
type Params = [accountId: string, fromSequence: string, toSequence: string];

export interface BlockRow {
  /** Null if the block has no row. */
  readonly rows: string | null;
  readonly valid: string | null;
  /** Rows with an erased part. */
  readonly erased: string | null;
  /** Previous hash of the first row, and hash of the last. Null if the row of that number is missing. */
  readonly previous_hash: Buffer | null;
  readonly hash: Buffer | null;
}

/** Each part alone: as it was hashed, or erased without a trace. */
const EACH_PART = PARTS.map((part, at) => {
  const salt = `substring(salts, ${at * SALT_BYTES + 1}, ${SALT_BYTES})`;
  const digest = `substring(digests, ${at * DIGEST_BYTES + 1}, ${DIGEST_BYTES})`;
  return `CASE WHEN erased & ${1 << at} = 0 THEN sha256(${salt} || convert_to(${part}, 'UTF8')) = ${digest}
        ELSE ${part} = '{}' AND ${salt} = decode(repeat('00', ${SALT_BYTES}), 'hex') END`;
}).join("\n        AND ");

export const checkBlock = statement<Params, BlockRow>(
  `/* ledger.check-block */
SELECT count(*) AS rows,
  count(*) FILTER (WHERE is_valid) AS valid,
  count(*) FILTER (WHERE erased <> 0) AS erased,
  string_agg(previous_hash, '') FILTER (WHERE sequence_number = $2::bigint) AS previous_hash,
  string_agg(hash, '') FILTER (WHERE sequence_number = $3::bigint) AS hash
FROM (
  SELECT sequence_number, previous_hash, hash, erased,
    sequence_number = number_before + 1
    AND previous_hash = hash_before
    AND ${IS_KEPT}
    AND octet_length(salts) = 80
    AND CASE WHEN erased = 0 THEN
      sha256(substring(salts, 1, 16) || convert_to(actor, 'UTF8'))
      || sha256(substring(salts, 17, 16) || convert_to(context, 'UTF8'))
      || sha256(substring(salts, 33, 16) || convert_to(diff, 'UTF8'))
      || sha256(substring(salts, 49, 16) || convert_to(metadata, 'UTF8'))
      || sha256(substring(salts, 65, 16) || convert_to(target, 'UTF8')) = digests
      ELSE ${EACH_PART} END
    AND jsonb_typeof(actor_value) = 'object'
    AND jsonb_typeof(target_value) = 'object'
    AND (actor_value->'id', actor_value->'type', target_value->'id', target_value->'type')
      IS NOT DISTINCT FROM (to_jsonb(actor_id), to_jsonb(actor_type), to_jsonb(target_id), to_jsonb(target_type))
    AND sha256('\\x00'::bytea || convert_to(
      '{"action":' || to_json(action)::text
      || ',"chain":' || to_json($1::text)::text
      || ',"created_at":"' || created_at
      || '","digests":{"actor":"' || encode(substring(digests, 1, 32), 'hex')
      || '","context":"' || encode(substring(digests, 33, 32), 'hex')
      || '","diff":"' || encode(substring(digests, 65, 32), 'hex')
      || '","metadata":"' || encode(substring(digests, 97, 32), 'hex')
      || '","target":"' || encode(substring(digests, 129, 32), 'hex')
      || '"},"id":' || to_json(id)::text
      || ',"occurred_at":"' || occurred_at
      || '","previous_hash":"' || encode(previous_hash, 'hex')
      || '","received_at":"' || received_at
      || '","sequence_number":' || sequence_number::text
      || ',"v":1}', 'UTF8')) = hash AS is_valid
  FROM (
    SELECT sequence_number, id, action, occurred_at, received_at, created_at, digests, previous_hash, hash,
      actor, context, diff, metadata, target, salts, erased, actor_id, actor_type, target_id, target_type,
      actor::jsonb AS actor_value, target::jsonb AS target_value,
      lag(sequence_number, 1, $2::bigint - 1) OVER in_order AS number_before,
      lag(hash, 1, previous_hash) OVER in_order AS hash_before
    FROM ledger.events
    WHERE account_id = $1::text AND sequence_number BETWEEN $2::bigint AND $3::bigint
    WINDOW in_order AS (ORDER BY sequence_number)
  ) AS with_before
  OFFSET 0
) AS checked
`,
  { route: "one account", customPlan: true },
);
