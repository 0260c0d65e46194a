// The commands `annals log status` and `annals log succeed`: the first prints how far the log of evidence
// reaches, and only reads; the second begins a log that follows one whose history went back.

import type { CommandContext } from "@annals/chassis";
import { command, CommandError, flag, option, requiredOption, UsageError } from "@annals/cli";
import { LOG_ORIGIN, systemClock } from "@annals/contract";
import { type Pool, withCommandPool } from "@annals/postgres";
import {
  type Checkpoint,
  EMPTY_ROOT,
  entryText,
  parseCheckpoint,
  parseNote,
  vkeyOf,
  verifyNote,
  splitHashes,
} from "@annals/tlog";
import { readFile } from "node:fs/promises";
import { ROLE, type SETTINGS } from "../config.ts";
import { verifierKeys } from "../evidence/log-keys.ts";
import { getNewestEpoch, getNewestServedEpoch } from "../store/epochs.ts";
import { listAnchors } from "../store/list-anchors.ts";
import { createSuccessor, getLog, type LogRow } from "../store/logs.ts";

const REQUIRES = "Requires the ANNALS_DATABASE_URL of the ledger.";

type Context = CommandContext<typeof SETTINGS>;

export const logStatus = command(
  {
    name: "log status",
    summary: "Show how far the log of evidence reaches",
    details: `Prints the origin, the keys, the newest and the newest served epoch, and who has cosigned it. It is read-only.
${REQUIRES}`,
    options: { json: flag("Print a JSON document") },
    examples: ["annals log status", "annals log status --json"],
  },
  async ({ json }, context: Context) => {
    const status = await withDatabase(context, statusOf);
    process.stdout.write(json ? `${JSON.stringify(status)}\n` : textOf(status));
  },
);

export const logSucceed = command(
  {
    name: "log succeed",
    summary: "Begin a log that follows one whose history went back",
    details: `Stores a new log, whose first entry names the largest known checkpoint of the old one. Run it only where keys has signed
what the ledger lacks, and cannot be restored to the same moment. Events that only the old log covered are late in the new one.
${REQUIRES}`,
    options: {
      origin: requiredOption("<name>", "Name of the new log, such as log.example.com/2"),
      known: option(
        "<file>",
        "A checkpoint of the old log that a witness or a customer has kept, if it is larger than the ledger's",
      ),
    },
    examples: ["annals log succeed --origin log.example.com/2 --known checkpoint"],
  },
  async ({ known, origin }, context: Context) => {
    if (!LOG_ORIGIN.test(origin)) throw new UsageError("--origin is not the name of a log");
    const kept = known === undefined ? undefined : await readFile(known, "utf8").catch(unusable);
    const said = await withDatabase(context, (database) => succeed(database, origin, kept));
    process.stdout.write(said);
  },
);

async function statusOf(database: Pool) {
  const log = await logIn(database);
  const [newest] = await database.run(getNewestEpoch, [log.log]);
  const [served] = await database.run(getNewestServedEpoch, [log.log]);
  const witnesses = served
    ? await database.run(listAnchors, [log.log, served.epoch, "witness"])
    : [];
  return {
    origin: log.origin,
    vkeys: verifierKeys(log.origin, splitHashes(log.keys)).map(vkeyOf),
    newest_epoch: newest ? { epoch: Number(newest.epoch), time: newest.time } : null,
    served_epoch: served ? { epoch: Number(served.epoch), time: served.time } : null,
    witnesses: witnesses.map(({ name, time }) => ({ name, time })),
  };
}

function textOf(status: Awaited<ReturnType<typeof statusOf>>): string {
  const { newest_epoch: newest, origin, served_epoch: served, vkeys, witnesses } = status;
  const epoch = (each: typeof newest) => (each ? `${each.epoch} of ${each.time}` : "–");
  const lines = [
    `origin        ${origin}`,
    ...vkeys.map((vkey) => `key           ${vkey}`),
    `newest epoch  ${epoch(newest)}`,
    `served epoch  ${epoch(served)}`,
    ...witnesses.map(({ name, time }) => `seen by       ${name} ${time}`),
  ];
  return `${lines.join("\n")}\n`;
}

async function succeed(database: Pool, origin: string, kept: string | undefined): Promise<string> {
  const log = await logIn(database);
  const last = largest(log, kept);
  if (last.size === 0) throw new CommandError("the log has no epoch that another one could follow");
  const time = systemClock().nowText();
  const { root, size } = last;
  const entry = entryText({ epoch: 1, kind: "succeeds", origin: log.origin, root, size, time });
  const next = log.log + 1;
  const stored = await database.run(createSuccessor, [next, origin, EMPTY_ROOT, log.keys, entry]);
  if (stored.length === 0) throw new CommandError(`a log has the number ${next} or this origin`);
  return `${origin} follows ${log.origin} after ${size} epochs: its first epoch follows within seconds\n`;
}

/** The ledger's own head, or the kept checkpoint if that is larger. */
function largest(log: LogRow, kept: string | undefined): Checkpoint {
  const own = { origin: log.origin, root: log.root, size: Number(log.size) };
  if (kept === undefined) return own;
  const note = parseNote(kept);
  verifyNote(note, verifierKeys(log.origin, splitHashes(log.keys)));
  const known = parseCheckpoint(note.text);
  if (known.origin !== log.origin) throw new UsageError("--known is a checkpoint of another log");
  return known.size > own.size ? known : own;
}

async function logIn(database: Pool): Promise<LogRow> {
  const [log] = await database.run(getLog, []);
  if (log === undefined) throw new CommandError("there is no log yet");
  return log;
}

function unusable(error: unknown): never {
  throw new UsageError(`--known: ${error instanceof Error ? error.message : String(error)}`);
}

function withDatabase<T>({ config, log }: Context, work: (database: Pool) => Promise<T>) {
  return withCommandPool(
    { config, role: ROLE, applicationName: "annals-ledger-command", log },
    work,
  );
}
