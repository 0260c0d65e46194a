// The commands `annals erasures`: an operator asks for an erasure in any account, shows and cancels requests,
// keeps what was erased outside the database, and erases it again in a restored one. Requests wait and are
// executed as those of an account (worker/erasures.ts). They must never print a value that was erased.

import { inPieces } from "@annals/chassis";
import { command, EXIT, flag, option, requiredOption, UsageError } from "@annals/cli";
import { formatMicros } from "@annals/contract";
import { notFound } from "@annals/errors";
import { erasedParts, escapeHidden } from "@annals/event";
import { readFile } from "node:fs/promises";
import { type DoneErasure, readErasures } from "../rules/done-erasure.ts";
import { selectorOf } from "../rules/erasure.ts";
import { erasureId } from "../rules/erasure-id.ts";
import { cancelErasure } from "../cancel-erasure.ts";
import { doneErasures, reapplyErasure } from "../done-erasures.ts";
import { requestErasure } from "../request-erasure.ts";
import { type ErasureRow, getErasure, listErasures } from "../store/erasures.ts";
import { listRecordedAccounts } from "../store/list-recorded-accounts.ts";
import {
  ACCOUNT,
  type Context,
  EXAMPLE,
  OPERATOR,
  requireChain,
  REQUIRES,
  withRecords,
} from "../../commands/with-records.ts";

const PAGE = 1_000;
const US_PER_S = 1_000_000;
const JSON_FLAG = flag("Print a JSON document");
const ERASURE = "--erasure era_4h7k0n3q6s9v2x5z8b1d4f7h0k";

export const requestErasureCommand = command(
  {
    name: "erasures request",
    summary: "Ask for the erasure of parts of stored events",
    details: `Exactly one of --actor, --target and --event selects the events. The request waits ANNALS_ERASURE_DELAY_H hours, as set
here, and can be cancelled until then. The system account has the id acct_system.
${REQUIRES}`,
    options: {
      account: ACCOUNT,
      actor: option("<id>", "Events of the actor with this id"),
      target: option("<id>", "Events about the target with this id"),
      event: option("<id>", "The event with this id"),
      parts: requiredOption("<names>", "Parts to erase, separated by commas", partsIn),
      reference: option("<text>", "Your reference, which the records name"),
      json: JSON_FLAG,
    },
    examples: [`annals erasures request ${EXAMPLE} --actor u_7 --parts actor,context,metadata`],
  },
  async ({ account: accountId, json, ...asked }, context: Context) => {
    const { actor: actorId, event: eventId, parts, reference, target: targetId } = asked;
    const row = await withRecords(context, async ({ clock, database: pool, random }) => {
      await requireChain(pool, accountId);
      const database = pool.forAccount(accountId);
      const { erasureDelayHours } = context.config;
      const deps = { clock, database, erasureDelayHours, random, searches: database };
      const erasure = { actorId, eventId, parts, reference, targetId };
      return requestErasure(deps, { accountId, actor: OPERATOR, asked: erasure });
    });
    process.stdout.write(json ? `${JSON.stringify(erasureJson(row))}\n` : lineOf(row));
  },
);

export const showErasures = command(
  {
    name: "erasures show",
    summary: "Show the requests of an account to erase, newest first, or one of them",
    details: `Each line has the id, the status, the selector until the request has ended, the parts, the last event that it covers, and
how many events it has erased and holds have kept from it.
${REQUIRES}`,
    options: { account: ACCOUNT, erasure: option("<id>", "Only this one"), json: JSON_FLAG },
    examples: [`annals erasures show ${EXAMPLE}`, `annals erasures show ${EXAMPLE} ${ERASURE}`],
  },
  async ({ account: accountId, erasure: id, json }, context: Context) => {
    const rows: ErasureRow[] = [];
    await withRecords(context, async ({ database: pool }) => {
      const database = pool.forAccount(accountId);
      if (id !== undefined) {
        rows.push(...(await database.run(getErasure, [accountId, erasureId(id)])));
        if (rows.length === 0) throw notFound("erasure", id);
        return;
      }
      await inPieces(PAGE, async () => {
        const last = rows.at(-1);
        const after = [last?.created_at ?? null, last?.id ?? null] as const;
        const piece = await database.run(listErasures, [accountId, ...after, PAGE]);
        rows.push(...piece);
        return piece.length;
      });
    });
    const shown = rows.map(erasureJson);
    const document = JSON.stringify(id === undefined ? shown : shown[0]);
    process.stdout.write(json ? `${document}\n` : rows.map(lineOf).join(""));
  },
);

export const cancelErasureCommand = command(
  {
    name: "erasures cancel",
    summary: "Cancel a request to erase that has not begun",
    details: REQUIRES,
    options: { account: ACCOUNT, erasure: requiredOption("<id>", "Id of the request") },
    examples: [`annals erasures cancel ${EXAMPLE} ${ERASURE}`],
  },
  async ({ account: accountId, erasure: id }, context: Context) => {
    await withRecords(context, ({ clock, database, random }) =>
      cancelErasure(
        { clock, database: database.forAccount(accountId), random },
        { accountId, actor: OPERATOR, id },
      ),
    );
    process.stdout.write(`cancelled ${id}\n`);
  },
);

export const listErasuresCommand = command(
  {
    name: "erasures list",
    summary: "Print what was erased in all accounts, for safekeeping",
    details: `Each line is a JSON object for a record: account_id, record, erasure, parts, sequence_numbers, reference, and hash,
the hash of the last of these events. It has no erased value. Store the file outside the database, next to the heads.
${REQUIRES}`,
    examples: ["annals erasures list > erasures.jsonl"],
  },
  (_, context: Context) =>
    withRecords(context, async ({ database }) => {
      let after = "";
      await inPieces(PAGE, async () => {
        const accounts = await database.run(listRecordedAccounts, [after, PAGE]);
        for (const { account_id: accountId, records_from: recordsFrom } of accounts)
          for await (const line of doneErasures(database, { accountId, recordsFrom }))
            process.stdout.write(line);
        after = accounts.at(-1)?.account_id ?? "";
        return accounts.length;
      });
    }),
);

export const reapplyErasures = command(
  {
    name: "erasures reapply",
    summary: "Erase again what a restored database has from before its erasure",
    details: `Each erasure of the file is recorded and done again if its chain still has the same events. Other chains are left alone and
named, and so are events that a hold covers. Called again it changes nothing.
${REQUIRES}`,
    options: { file: requiredOption("<file>", "What `annals erasures list` printed") },
    examples: ["annals erasures reapply --file erasures.jsonl"],
    exitStatus:
      "0 everything in the file is erased, 1 something is not, or failure, 2 usage error or unusable file",
  },
  async ({ file }, context: Context) => {
    const kept = await readFileOfErasures(file);
    const faults: string[] = [];
    const [events, records] = await withRecords(context, async (deps) => {
      const counts = { events: 0, records: 0 };
      for (const erasure of kept) {
        const done = await reapplyErasure(deps, erasure);
        counts.events += done.erased;
        counts.records += done.erased === 0 ? 0 : 1;
        faults.push(...done.faults);
      }
      return [counts.events, counts.records];
    });
    const verdict = `events erased again: ${events}, by ${records} of ${kept.length} records`;
    process.stdout.write([...faults, verdict].map((line) => `${line}\n`).join(""));
    return faults.length === 0 ? EXIT.ok : EXIT.failure;
  },
);

async function readFileOfErasures(file: string): Promise<DoneErasure[]> {
  try {
    return readErasures(await readFile(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function partsIn(text: string): string[] {
  return text.split(",");
}

/** The same members as the interface has. */
function erasureJson(row: ErasureRow) {
  const selector = row.selector === null ? undefined : selectorOf(row.selector);
  return {
    id: row.id,
    status: row.status,
    actor_id: selector?.actorId ?? null,
    target_id: selector?.targetId ?? null,
    event_id: selector?.eventId ?? null,
    parts: erasedParts(row.parts),
    reference: row.reference,
    up_to_sequence: Number(row.up_to_sequence),
    erased: Number(row.erased),
    held: Number(row.held),
    created_at: row.created_at,
    begins_at: row.status === "pending" ? formatMicros(Math.round(row.due_s * US_PER_S)) : null,
    ended_at: row.ended_at,
  };
}

/** A client chooses the text of a selector: what would move a cursor is escaped. */
function lineOf(row: ErasureRow): string {
  const { erased, held, id, parts, selector, status, up_to_sequence: upTo } = row;
  const shown = selector === null ? "-" : escapeHidden(selector);
  const words = [id, status, shown, erasedParts(parts).join(","), upTo, erased, held];
  return `${words.join("\t")}\n`;
}
