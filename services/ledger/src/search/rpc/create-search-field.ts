// CreateSearchField: declares a field that filters may name (docs/search-fields.md). Events that are put into
// the index from now on have it; its backfill goes through the earlier ones.

import { type Clock, MAX_SEARCH_FIELDS } from "@annals/contract";
import { AnnalsError, complete, internal } from "@annals/errors";
import { jsonSha256 } from "@annals/event";
import type { Pool } from "@annals/postgres";
import type { LedgerService } from "@annals/proto/ledger";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import type { GrownChains } from "../../append/grown-chains.ts";
import { lockedHead } from "../../append/locked-chain.ts";
import { AUDIT } from "../../store/audit.ts";
import { getSearchEnds } from "../../store/get-search-ends.ts";
import { lockHeadForRecord } from "../../store/lock-head.ts";
import { fieldId, newField, nextField } from "../rules/search-field.ts";
import { createSearchField as create, listKeptFields } from "../store/search-fields.ts";
import { renderSearchField } from "./render-search-field.ts";

const UNMEASURED = { measured_events: null, measured_bytes: null, uncounted: null };

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly grown: Pick<GrownChains, "declare">;
}

export function createSearchField({
  clock,
  database,
  grown,
}: Deps): ServiceImpl<typeof LedgerService>["createSearchField"] {
  return async (request, context) => {
    const { accountId } = request;
    complete({ account_id: accountId });
    const asked = newField(request);
    const { name, path, type, ignoreCase } = asked;
    const most = Math.min(request.maxFields ?? MAX_SEARCH_FIELDS, MAX_SEARCH_FIELDS);
    const createdAt = clock.nowText();
    const created = await database.forAccount(accountId).transaction(async (transaction) => {
      // No segment is made meanwhile: those before it lack the field, and those after it have it.
      await lockedHead(transaction, accountId, lockHeadForRecord);
      const kept = await transaction.run(listKeptFields, [accountId]);
      const field = nextField(kept, name, { most, refuse: () => planExceeded(most) });
      const [ends] = await transaction.run(getSearchEnds, [accountId]);
      if (!ends) throw internal("an account has no ends of its index");
      const given = [accountId, field, name, path, type, ignoreCase, ends.indexed] as const;
      await transaction.run(create, [...given, createdAt]);
      await AUDIT.add(transaction, {
        accountId,
        action: "annals.search_field.created",
        actor: actorOf(context),
        target: { type: "search_field", id: fieldId(field) },
        metadata: { type, ignore_case: ignoreCase, path_sha256: jsonSha256([...path]) },
        occurredAt: createdAt,
      });
      return { field, from_base: ends.indexed, deleted: String(Number(ends.first) - 1) };
    });
    grown.declare();
    const given = { name, path, type, ignore_case: ignoreCase, created_at: createdAt };
    return { field: renderSearchField({ ...created, ...UNMEASURED, ...given }) };
  };
}

function planExceeded(most: number): AnnalsError {
  const fields = most === 1 ? "1 field" : `${most} fields`;
  const message = `This account can have ${fields}. Delete one first.`;
  return new AnnalsError("plan_count_exceeded", message);
}
