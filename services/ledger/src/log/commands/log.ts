// The commands `annals log status` and `annals log succeed`: the first prints how far the log of evidence
// reaches, and only reads; the second begins a log that follows one whose history went back.

import type { CommandContext } from "@annals/chassis";
import { command, CommandError, EXIT, flag, option, requiredOption, UsageError } from "@annals/cli";
import { LOG_ORIGIN, systemClock } from "@annals/contract";
import { escapeHidden } from "@annals/event";
import { type Pool, withCommandPool } from "@annals/postgres";
import {
  type Checkpoint,
  EMPTY_ROOT,
  entryText,
  parseCheckpoint,
  parseNote,
  parsePolicy,
  type Policy,
  splitHashes,
  vkeyOf,
} from "@annals/tlog";
import { readFile } from "node:fs/promises";
import { ROLE, type SETTINGS } from "../../config.ts";
import { verifierKeys } from "../log-keys.ts";
import { checkpointOf, hasCheckpoint } from "../missing-checkpoint.ts";
import { getNewestLocked } from "../store/anchors.ts";
import { getEpoch, getNewestEpoch, getNewestServedEpoch } from "../store/epochs.ts";
import { listAnchors } from "../store/list-anchors.ts";
import { createSuccessor, getLog, type LogRow } from "../store/logs.ts";
import { readViews, type WitnessView } from "./witness-views.ts";

const REQUIRES = "Requires the ANNALS_DATABASE_URL of the ledger.";

type Context = CommandContext<typeof SETTINGS>;

export const logStatus = command(
  {
    name: "log status",
    summary: "Show how far the log of evidence reaches",
    details: `Prints the origin, the keys, the newest and the newest served epoch, who has cosigned it, and the newest one that a
bucket keeps under object lock. It is read-only.
If ANNALS_LOG_POLICY_FILE is set, it also asks each witness that has a URL in that file how far it has seen the log.
A witness that has seen more epochs than the ledger has, or other ones, shows that the database is an older one.
${REQUIRES}`,
    options: { json: flag("Print a JSON document") },
    examples: ["annals log status", "annals log status --json"],
    exitStatus:
      "0 no witness has seen another log, 1 failure, 2 usage error, 3 a witness has seen a larger log or another one",
  },
  async ({ json }, context: Context) => {
    const policy = await policyIn(context.config.logPolicyFile);
    const status = await withDatabase(context, (database) => statusOf(database, policy));
    process.stdout.write(json ? `${JSON.stringify(status)}\n` : textOf(status));
    return status.witness_views.some(({ state }) => CONFLICTS.includes(state))
      ? EXIT.checkFailed
      : EXIT.ok;
  },
);

export const logSucceed = command(
  {
    name: "log succeed",
    summary: "Begin a log that follows one whose history went back",
    details: `Stores a new log, whose first entry names the largest known checkpoint of the old one. Run it only if keys has signed
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

async function policyIn(file: string | undefined): Promise<Policy | undefined> {
  if (file === undefined) return undefined;
  try {
    return parsePolicy(await readFile(file));
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function statusOf(database: Pool, policy: Policy | undefined) {
  const log = await logIn(database);
  const own = verifierKeys(log.origin, splitHashes(log.keys));
  // Read first: what a witness sees is in the database before.
  const has = (checkpoint: Checkpoint) => hasCheckpoint(database, log, checkpoint);
  const asked = { origin: log.origin, keys: own, has };
  const views = policy === undefined ? [] : await readViews(policy, asked);
  const [newest] = await database.run(getNewestEpoch, [log.log]);
  const [served] = await database.run(getNewestServedEpoch, [log.log]);
  const witnesses = served
    ? await database.run(listAnchors, [log.log, served.epoch, "witness"])
    : [];
  const compared: ComparedView[] = [];
  for (const view of views)
    compared.push(await compare(database, log.log, Number(newest?.epoch ?? 0), view));
  const [locked] = await database.run(getNewestLocked, [log.log]);
  return {
    origin: log.origin,
    vkeys: own.map(vkeyOf),
    newest_epoch: newest ? { epoch: Number(newest.epoch), time: newest.time } : null,
    served_epoch: served ? { epoch: Number(served.epoch), time: served.time } : null,
    witnesses: witnesses.map(({ name, time }) => ({ name, time })),
    witness_views: compared,
    locked_epoch: locked
      ? { bucket: locked.name, epoch: Number(locked.epoch), time: locked.time }
      : null,
  };
}

/** `ahead`: it has seen epochs that the ledger lacks. `differs`: it has seen another log of this size. */
type ViewState = "current" | "behind" | "ahead" | "differs" | "unread";

const CONFLICTS: readonly ViewState[] = ["ahead", "differs"];

interface ComparedView {
  readonly name: string;
  readonly state: ViewState;
  readonly epoch: number | null;
  readonly time: string | null;
  readonly problem: string | null;
}

async function compare(
  database: Pool,
  log: number,
  newest: number,
  { name, problem, seen }: WitnessView,
): Promise<ComparedView> {
  if (seen === undefined)
    return { name, state: "unread", epoch: null, time: null, problem: problem ?? null };
  const { root, size, time } = seen;
  const [row] = await database.run(getEpoch, [log, String(size)]);
  const isSame = row && parseCheckpoint(parseNote(row.checkpoint).text).root.equals(root);
  const reached = size === newest ? "current" : "behind";
  const state = size > newest ? "ahead" : isSame === false ? "differs" : reached;
  return { name, state, epoch: size, time, problem: null };
}

function textOf(status: Awaited<ReturnType<typeof statusOf>>): string {
  const { locked_epoch: locked, newest_epoch: newest, origin, vkeys, witnesses } = status;
  const epoch = (each: typeof newest) => (each ? `${each.epoch} of ${each.time}` : "–");
  const lines = [
    `origin        ${origin}`,
    ...vkeys.map((vkey) => `key           ${vkey}`),
    `newest epoch  ${epoch(newest)}`,
    `served epoch  ${epoch(status.served_epoch)}`,
    ...witnesses.map(({ name, time }) => `seen by       ${name} ${time}`),
    ...status.witness_views.map((view) => `witness       ${viewText(view, newest?.epoch ?? 0)}`),
    ...(locked ? [`locked epoch  ${epoch(locked)} in ${locked.bucket}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function viewText({ epoch, name, problem, state, time }: ComparedView, newest: number): string {
  if (epoch === null) return `${name} could not be read: ${escapeHidden(problem ?? "")}`;
  const said = {
    current: "",
    behind: `, ${newest - epoch} behind`,
    ahead: `, ${epoch - newest} MORE than the ledger has: the log went back`,
    differs: ", which DIFFERS from the ledger's: the log was changed",
    unread: "",
  }[state];
  return `${name} has seen epoch ${epoch} at ${time}${said}`;
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

/** The largest of the ledger's own head, what a witness has seen of the log, and the kept checkpoint. */
function largest(log: LogRow, kept: string | undefined): Checkpoint {
  const own = { origin: log.origin, root: log.root, size: Number(log.size) };
  // That a key of the log has signed what is missing was verified before it was stored.
  const missing = log.missing === null ? [] : [parseCheckpoint(parseNote(log.missing).text)];
  const known = kept === undefined ? [] : [checkpointIn(log, kept)];
  return [own, ...missing, ...known].reduce((one, other) => (other.size > one.size ? other : one));
}

function checkpointIn(log: LogRow, note: string): Checkpoint {
  try {
    return checkpointOf(log, note);
  } catch (error) {
    return unusable(error);
  }
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
