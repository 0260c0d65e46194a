// UpdateSink: changes what is sent, how and where to, or whether a sink is active (docs/interface.md). It
// acts from the next batch on. The type stays. A configuration is replaced whole, with its secrets.

import { checkSinkConfig, type ConfigRules, type SinkConfig } from "@annals/interface";
import type { Clock } from "@annals/contract";
import { complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { UpdateSinkRequest } from "@annals/proto/sinks";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import type { ServiceImpl } from "@connectrpc/connect";
import { shownSink, sinkChange } from "../rules/audit-entries.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { OnRejected, SinkFormat } from "../rules/sink.ts";
import { AUDIT } from "../../store/audit.ts";
import { lockSink } from "../store/find-sink.ts";
import type { SinkRow } from "../store/sink-row.ts";
import { updateSink as updateSinkStatement } from "../store/update-sink.ts";
import { openConfig, renderSink } from "./render-sink.ts";
import {
  checkFormat,
  checkLeaveOut,
  checkMappingOf,
  checkSinkId,
  givenConfig,
  givenOnRejected,
} from "../sink-members.ts";
import { checkFilter } from "../../webhooks/filter-members.ts";

export interface UpdateSinkDeps {
  readonly configRules: ConfigRules;
  readonly clock: Clock;
  readonly database: Pool;
  readonly keys: SecretKeys;
  /** Called when a sink was created or changed. */
  readonly onSink: () => void;
  readonly random: (size: number) => Uint8Array;
  /** See store/moment.ts. */
  readonly now: () => string;
}

export function updateSink(
  deps: UpdateSinkDeps,
): ServiceImpl<typeof WebhooksService>["updateSink"] {
  return async (request, context) => {
    const { accountId, id } = request;
    complete({ account_id: accountId, id });
    const given = request.config === undefined ? undefined : givenConfig(request.config);
    checkSinkId(id);
    const config = given && checkSinkConfig(deps.configRules, given);
    const wanted = wantedOf(request);
    const actor = actorOf(context);
    const database = deps.database.forAccount(accountId, context.signal);
    const answer = await database.transaction(async (transaction) => {
      const [locked] = await transaction.run(lockSink, [accountId, id]);
      if (!locked) throw notFound("sink", id);
      const before = openConfig(deps.keys, locked);
      const after = config ?? before;
      if (after.type !== locked.type) {
        const message = `must be ${locked.type}: a sink keeps its type`;
        throw invalid({ field: "type", message });
      }
      const row = changed(locked, wanted);
      const sealed = config ? sealedOf(deps, locked, config) : undefined;
      const isActivated = request.active === true;
      await transaction.run(updateSinkStatement, [
        accountId,
        id,
        row.format,
        sealed?.keyId ?? locked.config_key_id,
        sealed?.bytes ?? locked.config_sealed,
        row.filter,
        row.leave_out,
        row.include_proof,
        row.mapping,
        row.on_rejected,
        row.active,
        isActivated,
        isActivated || config !== undefined,
        deps.now(),
        actor.id ?? null,
      ]);
      const diff = { before: shownSink(locked, before), after: shownSink(row, after) };
      const metadata = { config_replaced: config !== undefined };
      const change = { actor, occurredAt: deps.clock.nowText(), diff, metadata };
      await AUDIT.add(transaction, sinkChange("updated", accountId, id, change));
      return { sink: renderSink(isActivated ? { ...row, attempts: 0 } : row, after) };
    });
    deps.onSink();
    return answer;
  };
}

/** What a request changes, checked. Undefined members stay as they are. */
interface Wanted {
  readonly active?: boolean | undefined;
  /** JSON text; null: all events. */
  readonly filter?: string | null | undefined;
  readonly leaveOut?: readonly string[] | undefined;
  readonly includeProof?: boolean | undefined;
  readonly format?: SinkFormat | undefined;
  /** JSON text, not checked yet, because it depends on the format; empty: none. */
  readonly mapping?: string | undefined;
  readonly onRejected?: OnRejected | undefined;
}

function wantedOf(request: UpdateSinkRequest): Wanted {
  const { active, filter, format, includeProof, leaveOut, mapping } = request;
  const given = filter && checkFilter(filter);
  return {
    active,
    filter: given && JSON.stringify(given),
    leaveOut: leaveOut && checkLeaveOut(leaveOut.parts),
    includeProof,
    format: format === undefined ? undefined : checkFormat(format),
    mapping,
    onRejected: givenOnRejected(request.onRejected),
  };
}

/** Throws `invalid` for a mapping that stays without its format. */
function changed(row: SinkRow, wanted: Wanted): SinkRow {
  const format = wanted.format ?? row.format;
  return {
    ...row,
    format,
    filter: wanted.filter === undefined ? row.filter : wanted.filter,
    leave_out: wanted.leaveOut ?? row.leave_out,
    include_proof: wanted.includeProof ?? row.include_proof,
    mapping: checkMappingOf(format, wanted.mapping ?? row.mapping ?? undefined),
    on_rejected: wanted.onRejected ?? row.on_rejected,
    active: wanted.active ?? row.active,
  };
}

function sealedOf({ keys, random }: UpdateSinkDeps, row: SinkRow, config: SinkConfig) {
  return keys.seal(JSON.stringify(config), { accountId: row.account_id, sinkId: row.id }, random);
}
