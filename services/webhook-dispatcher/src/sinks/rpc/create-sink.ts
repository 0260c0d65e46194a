// CreateSink: creates a sink, which is sent the events from a number on, or what is stored after the response
// (docs/interface.md). Its configuration is stored sealed and shown without secrets.

import { type Clock, newId } from "@annals/contract";
import { AnnalsError, complete, invalid } from "@annals/errors";
import { checkSinkConfig, type ConfigRules } from "@annals/interface";
import { type Database, earlierResponse, keepResponse, type Pool } from "@annals/postgres";
import { type CreateSinkRequest, SinkSchema } from "@annals/proto/sinks";
import type { WebhooksService } from "@annals/proto/webhooks";
import { actorOf } from "@annals/rpc";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { shownSink, sinkChange } from "../rules/audit-entries.ts";
import type { SecretKeys } from "../../sealing/rules/secret-keys.ts";
import type { Producers } from "../../outbound/producers.ts";
import { AUDIT } from "../../store/audit.ts";
import { findEarlier, REQUESTS } from "../../store/requests.ts";
import { countSinks } from "../store/count-sinks.ts";
import { createSink as createSinkStatement } from "../store/create-sink.ts";
import type { SinkRow } from "../store/sink-row.ts";
import { countReplayed, replayLimit } from "../../store/daily-use.ts";
import { lockAccount } from "../../store/lock-account.ts";
import { renderSink } from "./render-sink.ts";
import {
  checkFormat,
  checkLeaveOut,
  checkMappingOf,
  givenConfig,
  givenOnRejected,
} from "../sink-members.ts";
import { checkFilter } from "../../webhooks/filter-members.ts";

/** Maximum sinks of an account whose plan was not named. */
const MAX_SINKS = 10;

export interface CreateSinkDeps {
  readonly configRules: ConfigRules;
  readonly clock: Clock;
  readonly database: Pool;
  readonly idempotencyHours: number;
  readonly keys: SecretKeys;
  /** Called when a sink was created or changed. */
  readonly onSink: () => void;
  readonly producers: Pick<Producers, "positions" | "retainedFrom">;
  readonly random: (size: number) => Uint8Array;
}

/** What is stored of a sink besides what is shown. */
interface Stored {
  readonly sealed: ReturnType<SecretKeys["seal"]>;
  readonly cursor: bigint;
  readonly by: string | undefined;
}

export function createSink(
  deps: CreateSinkDeps,
): ServiceImpl<typeof WebhooksService>["createSink"] {
  const { idempotencyHours, keys } = deps;
  const conceal = (sha256: Uint8Array) => keys.conceal(sha256);
  const kept = { conceal, idempotencyHours, operation: "create-sink", requests: REQUESTS };
  return async (request, context) => {
    if (request.replayOnly) return replayOf(await findEarlier(deps.database, kept, request));
    const { accountId, active, includeProof, maxSinks = MAX_SINKS } = request;
    const actor = actorOf(context);
    complete({ account_id: accountId });
    const given = givenConfig(request.config);
    const format = checkFormat(request.format);
    const filter = checkFilter(request.filter);
    const config = checkSinkConfig(deps.configRules, given);
    const { cursor, events } = await cursorOf(deps.producers, request);
    const id = newId("sink", deps.random);
    const row = {
      account_id: accountId,
      id,
      type: config.type,
      format,
      filter: filter && JSON.stringify(filter),
      leave_out: checkLeaveOut(request.leaveOut),
      include_proof: includeProof,
      mapping: checkMappingOf(format, request.mapping),
      on_rejected: givenOnRejected(request.onRejected) ?? "stop",
      active,
      created_at: deps.clock.nowText(),
      attempts: 0,
    };
    const sealed = keys.seal(JSON.stringify(config), { accountId, sinkId: id }, deps.random);
    const sink = create(SinkSchema, renderSink(row, config));
    const earlier = await deps.database.forAccount(accountId).transaction(async (transaction) => {
      await transaction.run(lockAccount, [accountId]);
      const known = await earlierResponse(transaction, kept, request);
      if (known) return known;
      const [found] = await transaction.run(countSinks, [accountId]);
      if ((found?.count ?? 0) >= maxSinks) throw planExceeded(maxSinks);
      await storeSink(transaction, row, { sealed, cursor, by: actor.id });
      if (events > 0n) await countReplayed(transaction, accountId, events, replayLimit(context));
      const change = { actor, occurredAt: row.created_at, diff: { after: shownSink(row, config) } };
      await AUDIT.add(transaction, sinkChange("created", accountId, id, change));
      await keepResponse(transaction, kept, request, toBinary(SinkSchema, sink));
      return undefined;
    });
    if (earlier) return replayOf(earlier);
    deps.onSink();
    return { sink };
  };
}

function replayOf(earlier: Uint8Array | undefined) {
  return earlier ? { sink: fromBinary(SinkSchema, earlier), replayed: true } : {};
}

function storeSink(
  transaction: Database,
  row: Omit<SinkRow, "config_key_id" | "config_sealed">,
  { by, cursor, sealed }: Stored,
): Promise<unknown> {
  return transaction.run(createSinkStatement, [
    row.account_id,
    row.id,
    row.type,
    row.format,
    sealed.keyId,
    sealed.bytes,
    row.filter,
    row.leave_out,
    row.include_proof,
    row.mapping,
    row.on_rejected,
    row.active,
    row.created_at,
    by ?? null,
    cursor,
  ]);
}

/** The event before the first one that is sent, of those that retention has left, and how many there are. */
async function cursorOf(
  producers: CreateSinkDeps["producers"],
  { accountId, fromSequenceNumber: from }: CreateSinkRequest,
): Promise<{ readonly cursor: bigint; readonly events: bigint }> {
  if (from !== undefined && from < 1n)
    throw invalid({ field: "from", message: "must be at least 1" });
  const [positions] = await producers.positions([accountId], ["events"]);
  const next = (positions?.events ?? 0n) + 1n;
  if (from === undefined || from === next) return { cursor: next - 1n, events: 0n };
  if (from > next) {
    const message = `must be at most ${next}, which is the number of the next event`;
    throw invalid({ field: "from", message });
  }
  const first = (await producers.retainedFrom(accountId, from)) ?? from;
  return { cursor: first - 1n, events: next - first };
}

function planExceeded(maxSinks: number): AnnalsError {
  const sinks = maxSinks === 1 ? "1 sink" : `${maxSinks} sinks`;
  return new AnnalsError("plan_count_exceeded", `The plan of this account allows ${sinks}.`);
}
