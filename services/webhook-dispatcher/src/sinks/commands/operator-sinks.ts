// The commands `annals sinks`: shows how far the sinks of the operator are in each account, and sends an
// account's events to one again. The rows alone are read and changed: the file of sinks is not needed.

import { type CommandContext, inPieces } from "@annals/chassis";
import { command, flag, option, requiredOption, UsageError } from "@annals/cli";
import { SYSTEM_ACCOUNT_ID, systemClock } from "@annals/contract";
import { type Pool, withCommandPool } from "@annals/postgres";
import type { COMMAND_SETTINGS } from "../../config.ts";
import { sinkChange, skippedEntry } from "../rules/audit-entries.ts";
import { readRefusals } from "../rules/sink-refusals.ts";
import { AUDIT } from "../../store/audit.ts";
import { DATABASE_CLOCK } from "../../store/moment.ts";
import { listOperatorSinkStates, type OperatorSinkState } from "../store/operator-sinks.ts";
import { replayOperatorSink } from "../store/replay-sink.ts";
import { lockOperatorRefusals } from "../store/sink-refusals.ts";
import { skipNamed } from "../store/skip-named.ts";
import { ROLE } from "../../config.ts";

type Context = CommandContext<typeof COMMAND_SETTINGS>;

const PAGE = 1_000;
const OPERATOR = { type: "operator" } as const;
const REQUIRES = "Requires the ANNALS_DATABASE_URL of webhook-dispatcher.";

export const showOperatorSinks = command(
  {
    name: "sinks show",
    summary: "Show how far the operator's sinks are, in each account",
    details: `Each line has the account, the name of the sink, the last event that was received, active or failing, and the last
error. Sinks that accounts have created are not listed.
${REQUIRES}`,
    options: {
      name: option("<name>", "Only the sink with this name"),
      failing: flag("Only sinks whose last attempt failed"),
      json: flag("Print a JSON object per line"),
    },
    examples: ["annals sinks show", "annals sinks show --failing --json"],
  },
  async ({ failing, json, name }, context: Context) => {
    await withPool(context, async (database) => {
      let after = { account_id: "", operator: "" };
      await inPieces(PAGE, async () => {
        const page = [after.account_id, after.operator, PAGE] as const;
        const rows = await database.run(listOperatorSinkStates, [...page]);
        after = rows.at(-1) ?? after;
        const shown = rows.filter(
          ({ attempts, operator }) =>
            (name === undefined || operator === name) && (!failing || attempts > 0),
        );
        process.stdout.write(shown.map((row) => `${json ? jsonOf(row) : lineOf(row)}\n`).join(""));
        return rows.length;
      });
    });
  },
);

export const replayOperatorSinkCommand = command(
  {
    name: "sinks replay",
    summary: "Send an account's events to a sink of the operator again",
    details: `Events that retention has deleted since are not sent: the receiver gets a record that names them.
${REQUIRES}`,
    options: {
      account: requiredOption("<id>", "Id of the account"),
      name: requiredOption("<name>", "Name of the sink"),
      from: requiredOption("<n>", "First sequence number that is sent again", asNumber),
    },
    examples: [
      "annals sinks replay --account acct_2r8w4y6b1e3g5j7m9p0s2v4x6z --name siem --from 1",
    ],
  },
  async ({ account: accountId, from, name }, context: Context) => {
    await withPool(context, (pool) =>
      pool.forAccount(accountId).transaction(async (transaction) => {
        const replay = [accountId, name, String(from - 1), DATABASE_CLOCK] as const;
        const [row] = await transaction.run(replayOperatorSink, [...replay]);
        if (!row) throw new UsageError(refusalOf(accountId, name, from));
        const metadata = { account_id: accountId, from_sequence_number: String(from), name };
        const occurredAt = systemClock().nowText();
        const change = { actor: OPERATOR, occurredAt, metadata };
        // An account may get what concerns it, and does not see the sinks of the operator.
        await AUDIT.add(transaction, sinkChange("replayed", SYSTEM_ACCOUNT_ID, row.id, change));
      }),
    );
    process.stdout.write(`${accountId} is sent to ${name} from ${from} on\n`);
  },
);

export const skipOperatorSinkRecordCommand = command(
  {
    name: "sinks skip",
    summary: "Skip the event that the receiver of one of the operator's sinks refuses",
    details: `\`annals sinks show\` has its number under "rejected". The receiver is sent a gap, and the chain of the system account
records it.
${REQUIRES}`,
    options: {
      account: requiredOption("<id>", "Id of the account"),
      name: requiredOption("<name>", "Name of the sink"),
      number: requiredOption("<n>", "Sequence number of the event", asNumber),
    },
    examples: [
      "annals sinks skip --account acct_2r8w4y6b1e3g5j7m9p0s2v4x6z --name siem --number 17",
    ],
  },
  async ({ account: accountId, name, number }, context: Context) => {
    await withPool(context, (pool) =>
      pool.forAccount(accountId).transaction(async (transaction) => {
        const [row] = await transaction.run(lockOperatorRefusals, [accountId, name]);
        if (!row) throw new UsageError(`--name: ${accountId} has no sink of the operator ${name}`);
        const by = { accountId, now: DATABASE_CLOCK, updatedBy: null };
        const skipped = await skipNamed(transaction, row, BigInt(number), by);
        if (typeof skipped === "string") throw new UsageError(`--number: ${skipped}`);
        const of = { accountId, sinkId: row.id, isOperators: true };
        const change = { actor: OPERATOR, occurredAt: systemClock().nowText() };
        await AUDIT.add(transaction, skippedEntry(of, skipped, change));
      }),
    );
    process.stdout.write(`${name} has skipped the event ${number} of ${accountId}\n`);
  },
);

const refusalOf = (accountId: string, name: string, from: number) =>
  `--from: ${name} has not received the event ${from} of ${accountId} yet, or there is no such sink`;

function asNumber(given: string): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  throw new Error("must be a sequence number");
}

function withPool(context: Context, work: (pool: Pool) => Promise<void>): Promise<void> {
  const { config, log } = context;
  const applicationName = "annals-webhook-dispatcher-command";
  return withCommandPool({ config, role: ROLE, applicationName, log }, work);
}

function jsonOf(row: OperatorSinkState): string {
  const { account_id, attempts, cursor, last_delivered_at, last_error, operator } = row;
  const { rejected = null } = readRefusals(row.refusals);
  return JSON.stringify({
    account_id,
    name: operator,
    cursor: Number(cursor),
    status: attempts > 0 ? "failing" : "active",
    last_delivered_at,
    last_error,
    rejected,
  });
}

function lineOf({ refusals, ...row }: OperatorSinkState): string {
  const { account_id, attempts, cursor, last_error, operator } = row;
  const { rejected } = readRefusals(refusals);
  const why = `${rejected ? `the event ${rejected.sequence_number} is rejected: ` : ""}${last_error ?? ""}`;
  const status = attempts > 0 ? `failing: ${why}` : "active";
  return [account_id, operator, cursor, status].join("  ");
}
