// The commands `annals retention`: an operator sees how far retention of an account is, and sets its days,
// whatever the features of its plan. They do not know the plan, which bounds what is set here: its
// `retention_days` is the longest time, its `min_retention_days` the shortest.

import type { CommandContext } from "@annals/chassis";
import { command, flag, option, requiredOption, UsageError } from "@annals/cli";
import {
  ComparedClock,
  formatMicros,
  MAX_RETENTION_DAYS,
  MIN_RETENTION_DAYS,
} from "@annals/contract";
import { compareClock, withCommandPool } from "@annals/postgres";
import { changeRetention } from "../change-retention.ts";
import { ROLE, type SETTINGS } from "../../config.ts";
import { getLifecycle, type LifecycleRow } from "../../store/lifecycles.ts";
import { requireRightClock } from "../../commands/with-records.ts";
import { getHeadSequences } from "../../store/get-head-sequences.ts";
import { type FirstHoldRow, getFirstHold } from "../../store/retention-cut.ts";

const REQUIRES = "Requires the ANNALS_DATABASE_URL of the ledger.";
const EXAMPLE = "--account acct_2r8w4y6b1e3g5j7m9p0s2v4x6z";
const US_PER_S = 1e6;

const ACCOUNT = requiredOption("<id>", "Id of the account");
const JSON_FLAG = flag("Print a JSON document");
/** The ledger applies the plan when it deletes. */
const ANY_PLAN = { days: undefined, minDays: 1 };

type Context = CommandContext<typeof SETTINGS>;

export const showRetentionCommand = command(
  {
    name: "retention show",
    summary: "Show what is set for an account, and which of its events are deleted",
    details: `Prints the days that are set, the last event that a record names, the first event that is left, and the hold that stops it.
${REQUIRES}`,
    options: { account: ACCOUNT, json: JSON_FLAG },
    examples: [`annals retention show ${EXAMPLE}`],
  },
  async ({ account: accountId, json }, context: Context) => {
    const shown = await withDatabase(context, async (database) => {
      const own = database.forAccount(accountId);
      const [row] = await own.run(getLifecycle, [accountId]);
      const [hold] = await own.run(getFirstHold, [accountId]);
      return retentionJson(row, hold);
    });
    process.stdout.write(json ? `${JSON.stringify(shown)}\n` : textOf(shown));
  },
);

export const setRetentionCommand = command(
  {
    name: "retention set",
    summary: "Set the days after which events of an account are deleted, and its archives",
    details: `A shorter time takes effect after 7 days, a longer one at once. The operator's audit records it.
\`plan\` as the days removes what was set. The retention_days of the plan is the longest time and its min_retention_days the
shortest, whatever is set. Its archives are on only if the plan allows them; off takes effect after 7 days.
${REQUIRES}`,
    options: {
      account: ACCOUNT,
      days: requiredOption("<n>", `Days, from ${MIN_RETENTION_DAYS}, or \`plan\``, asDays),
      archive: option(
        "<on|off>",
        "Archive events before they are deleted. By default as it is",
        isOn,
      ),
    },
    examples: [
      `annals retention set ${EXAMPLE} --days 90`,
      `annals retention set ${EXAMPLE} --days plan --archive on`,
    ],
  },
  async ({ account: accountId, archive, days }, context: Context) => {
    const row = await withDatabase(context, async (database) => {
      const [head] = await database.forAccount(accountId).run(getHeadSequences, [[accountId]]);
      if (head === undefined)
        throw new UsageError(
          `--account: ${accountId} has no event: the account is new or does not exist`,
        );
      const actor = { type: "operator" } as const;
      const change = { accountId, actor, archive, days, plan: ANY_PLAN };
      const clock = new ComparedClock();
      await compareClock(clock, database);
      requireRightClock(clock);
      return changeRetention({ clock: clock.other, database }, change);
    });
    process.stdout.write(textOf(retentionJson(row, undefined)));
  },
);

/** Null: that of the plan. */
function asDays(text: string): number | null {
  if (text === "plan") return null;
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= MIN_RETENTION_DAYS && days <= MAX_RETENTION_DAYS) return days;
  throw new Error(`must be from ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS}, or plan`);
}

function isOn(text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new Error("must be on or off");
}

function retentionJson(row: LifecycleRow | undefined, hold: FirstHoldRow | undefined) {
  const shorter = row?.shorter_s ?? null;
  return {
    account_days: row?.days ?? null,
    shorter_from: shorter === null ? null : formatMicros(Math.round(shorter * US_PER_S)),
    through_sequence: Number(row?.through_sequence ?? 0),
    retained_from: Number(row?.deleted_through ?? 0) + 1,
    hold: hold?.id ?? null,
    archive: row?.archive ?? false,
    archived_through: Number(row?.archived_through ?? 0),
  };
}

function textOf(shown: ReturnType<typeof retentionJson>): string {
  const days = shown.account_days === null ? "days of the plan" : `${shown.account_days} days`;
  const from = shown.shorter_from === null ? [] : [`from ${shown.shorter_from}`];
  const hold = shown.hold === null ? [] : [`stopped by ${shown.hold}`];
  const ends = [`recorded to ${shown.through_sequence}`, `left from ${shown.retained_from}`];
  const archive = shown.archive ? [`archived to ${shown.archived_through}`] : [];
  return `${[days, ...from, ...ends, ...archive, ...hold].join("\t")}\n`;
}

function withDatabase<T>(
  { config, log }: Context,
  work: Parameters<typeof withCommandPool<T>>[1],
): Promise<T> {
  const pool = { config, role: ROLE, applicationName: "annals-ledger-command", log };
  return withCommandPool(pool, work);
}
