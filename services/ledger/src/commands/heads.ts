// The verbs `heads` and `check-heads`: the first prints the head of every chain, to be stored outside the
// database; the second compares the stored heads with the database, to detect that an older state was
// restored or that a chain was changed. Both only read.

import {
  type ConfigOf,
  inPieces,
  type Logger,
  UsageError,
  type VerbContext,
} from "@annals/chassis";
import { type Pool, withCommandPool } from "@annals/postgres";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { ROLE, type SETTINGS } from "../config.ts";
import { headFault, headLine, type KeptHead, readHeads } from "../domain/kept-heads.ts";
import { getHash } from "../store/get-hash.ts";
import { listHeads } from "../store/list-heads.ts";

const PAGE = 1_000;
const USAGE = `Usage: annals heads > heads.jsonl
       annals check-heads --file <file>`;

export const HEADS_HELP = `${USAGE}

heads        Prints the head of every chain, one JSON object per line: account_id, sequence_number, hash. Store the file
             outside the database.
check-heads  Compares a saved file with the database. Prints one line for each chain that went back, is missing, or has
             a different event at that number. Exits with 1 if there is such a chain.

Requires the ANNALS_DATABASE_URL of the ledger.

Examples:
  annals heads > heads.jsonl
  annals check-heads --file heads.jsonl
`;

/** Prints one JSON object per line: account_id, sequence_number, hash. */
export async function heads({ config, log, words }: VerbContext<typeof SETTINGS>): Promise<void> {
  if (words.length > 0) throw new UsageError(USAGE);
  await withDatabase(config, log, async (database) => {
    let after = "";
    const printPiece = async (): Promise<number> => {
      const rows = await database.run(listHeads, [after, PAGE]);
      for (const { account_id: accountId, sequence_number: sequenceNumber, hash } of rows)
        process.stdout.write(headLine({ accountId, sequenceNumber, hash }));
      after = rows.at(-1)?.account_id ?? "";
      return rows.length;
    };
    await inPieces(PAGE, printPiece);
  });
}

/**
 * Prints one sentence for each chain that does not contain its kept head. Exits with 1 if there is such a
 * chain.
 */
export async function checkHeads(context: VerbContext<typeof SETTINGS>): Promise<void> {
  const kept = await readFileOfHeads(context.words);
  const faults = await withDatabase(context.config, context.log, async (database) => {
    const found: string[] = [];
    for (const head of kept) {
      const [row] = await database.run(getHash, [head.accountId, head.sequenceNumber]);
      const fault = headFault(head, row);
      if (fault !== undefined) found.push(fault);
    }
    return found;
  });
  const verdict =
    faults.length === 0
      ? `all ${kept.length} chains contain their saved heads`
      : `${faults.length} of ${kept.length} chains do not contain their saved heads`;
  process.stdout.write([...faults, verdict].map((line) => `${line}\n`).join(""));
  if (faults.length > 0) process.exitCode = 1;
}

async function readFileOfHeads(words: readonly string[]): Promise<KeptHead[]> {
  const file = fileIn(words);
  try {
    const kept = readHeads(await readFile(file, "utf8"));
    if (kept.length === 0) throw new Error("the file contains no head");
    return kept;
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fileIn(words: readonly string[]): string {
  try {
    const { values } = parseArgs({ args: [...words], options: { file: { type: "string" } } });
    if (values.file !== undefined) return values.file;
  } catch {
    // The usage is thrown below.
  }
  throw new UsageError(USAGE);
}

function withDatabase<T>(
  config: ConfigOf<typeof SETTINGS>,
  log: Logger,
  work: (database: Pool) => Promise<T>,
): Promise<T> {
  return withCommandPool(
    { config, role: ROLE, applicationName: "annals-ledger-command", log },
    work,
  );
}
