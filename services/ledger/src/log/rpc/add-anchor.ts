// AddAnchor: stores what others have signed or keep of a checkpoint of the head log, once it is verified. An
// epoch is served as soon as its cosignatures make a quorum.

import type { Logger } from "@annals/chassis";
import type { Clock } from "@annals/contract";
import { complete, invalid, notFound } from "@annals/errors";
import type { Pool } from "@annals/postgres";
import type { LedgerService, NewTimeStamp } from "@annals/proto/ledger";
import { stampedTime, TimeStampFault, TlogError } from "@annals/tlog";
import type { ServiceImpl } from "@connectrpc/connect";
import { createHash } from "node:crypto";
import { addLockedCheckpoint } from "../locked-checkpoint.ts";
import type { LogPolicy } from "../log-policy.ts";
import { missingIn } from "../missing-checkpoint.ts";
import { serveOnQuorum } from "../serve-on-quorum.ts";
import type { Metrics } from "../../metrics.ts";
import { createAnchor } from "../store/anchors.ts";
import { type EpochRow, getEpoch } from "../store/epochs.ts";
import { getLogOf, type LogRow, recordMissing } from "../store/logs.ts";

const MAX_LOG = 32_767;
const MAX_BYTES = 64 * 1024;
/** The end of the year 9999. */
const MAX_TIME_S = 253_402_300_799;

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "rollbacks">;
  readonly policy: LogPolicy;
}

export function addAnchor(deps: Deps): ServiceImpl<typeof LedgerService>["addAnchor"] {
  const { database } = deps;
  return async ({ anchor, log, size }) => {
    if (log > MAX_LOG) throw notFound("log", String(log));
    if (anchor.case === "seenCheckpoint") {
      await addSeenCheckpoint(deps, log, anchor.value);
      return {};
    }
    const [epoch] = await database.run(getEpoch, [log, String(size)]);
    if (epoch === undefined) throw notFound("epoch", String(size));
    if (anchor.case === "cosignatures")
      return { names: await addCosignatures(deps, log, epoch, anchor.value) };
    if (anchor.case === "timeStamp")
      return { names: await addTimeStamp(deps, log, epoch, anchor.value) };
    if (anchor.case === "locked")
      return { names: [await addLockedCheckpoint(deps, log, epoch, anchor.value)] };
    throw invalid({ field: "anchor", message: "Send one anchor." });
  };
}

async function addCosignatures(
  { database, policy }: Deps,
  log: number,
  epoch: EpochRow,
  lines: string,
): Promise<string[]> {
  const signed = expectLines(policy, epoch, lines);
  for (const { line, name, time } of signed) {
    const row = [log, epoch.epoch, "witness", name, Buffer.from(line), time] as const;
    await database.run(createAnchor, [...row]);
  }
  await serveOnQuorum(database, policy, log, epoch);
  return signed.map(({ name }) => name);
}

async function addTimeStamp(
  { database }: Deps,
  log: number,
  { checkpoint, epoch }: EpochRow,
  { name, nonce, token }: Pick<NewTimeStamp, "name" | "nonce" | "token">,
): Promise<string[]> {
  complete({ name });
  if (token.length > MAX_BYTES)
    throw invalid({ field: "time_stamp", message: `Must have at most ${MAX_BYTES} bytes.` });
  const [bytes, expected] = [Buffer.from(token), Buffer.from(nonce)];
  try {
    const digest = createHash("sha256").update(checkpoint).digest();
    const time = stampedTime(bytes, digest, expected);
    await database.run(createAnchor, [log, epoch, "timestamp", name, bytes, time]);
    return [name];
  } catch (error) {
    if (!(error instanceof TimeStampFault)) throw error;
    throw invalid({ field: "time_stamp", message: `The time stamp ${error.message}.` });
  }
}

/** Throws `invalid` unless all lines of witnesses of the policy are right, and one of them is there. */
function expectLines(policy: LogPolicy, { checkpoint }: EpochRow, lines: string) {
  const text = checkpoint.slice(0, checkpoint.lastIndexOf("\n\n") + 1);
  try {
    if (Buffer.byteLength(lines) > MAX_BYTES)
      throw new TlogError("note_malformed", `at most ${MAX_BYTES} bytes`);
    // A blank line would end another text than that of the checkpoint.
    if (lines.startsWith("\n") || lines.includes("\n\n"))
      throw new TlogError("note_malformed", "signature lines have no blank line");
    const signed = policy.witnessLines(`${text}\n${lines}`);
    if (signed.length === 0) throw new TlogError("signature_missing", "no witness has signed");
    if (signed.some(({ time }) => time > MAX_TIME_S))
      throw new TlogError("signature_invalid", "the time is beyond the year 9999");
    return signed;
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw invalid({ field: "cosignatures", message: error.message });
  }
}

/** Stops the log if it does not have the checkpoint. One that it has shows nothing. */
async function addSeenCheckpoint({ database, log, metrics }: Deps, number: number, note: string) {
  const [row] = await database.run(getLogOf, [number]);
  if (row === undefined) throw notFound("log", String(number));
  const seen = await expectSeen(database, row, note);
  if (seen === undefined) return;
  const stored = await database.run(recordMissing, [number, note, String(seen.size)]);
  if (stored.length === 0) return;
  metrics.rollbacks.inc();
  log.error(
    { origin: row.origin, size: Number(row.size), seen_size: seen.size },
    "no epoch is closed: the log does not have a checkpoint that a witness or the bucket has",
  );
}

/** Undefined if the log has it. Throws `invalid` unless the log has it, or has signed it. */
async function expectSeen(database: Pool, row: LogRow, note: string) {
  try {
    if (Buffer.byteLength(note) > MAX_BYTES)
      throw new TlogError("note_malformed", `at most ${MAX_BYTES} bytes`);
    return await missingIn(database, row, note);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw invalid({ field: "seen_checkpoint", message: error.message });
  }
}
