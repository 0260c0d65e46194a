// The commands `annals heads` and `annals check-heads`: the first prints the head of every chain, to be
// stored outside the database; the second compares the stored heads with the database, to detect that an
// older state was restored or that a chain was changed. Both only read.

import { type CommandContext, type ConfigOf, inPieces, type Logger } from "@annals/chassis";
import { command, EXIT, requiredOption, UsageError } from "@annals/cli";
import { type Pool, withCommandPool } from "@annals/postgres";
import { readFile } from "node:fs/promises";
import { ROLE, type SETTINGS } from "../../config.ts";
import { headFault, headLine, type KeptHead, readHeads } from "../rules/kept-heads.ts";
import { getHash } from "../../store/get-hash.ts";
import { listHeads } from "../store/list-heads.ts";

const PAGE = 1_000;
const REQUIRES = "Requires the ANNALS_DATABASE_URL of the ledger.";

export const heads = command(
  {
    name: "heads",
    summary: "Print the head of every chain, for safekeeping",
    details: `Each line is a JSON object: account_id, sequence_number, hash. Store the file outside the database.
${REQUIRES}`,
    examples: ["annals heads > heads.jsonl", "annals check-heads --file heads.jsonl"],
  },
  (_, { config, log }: CommandContext<typeof SETTINGS>) =>
    withDatabase(config, log, async (database) => {
      let after = "";
      const printPiece = async (): Promise<number> => {
        const rows = await database.run(listHeads, [after, PAGE]);
        for (const { account_id: accountId, sequence_number: sequenceNumber, hash } of rows)
          process.stdout.write(headLine({ accountId, sequenceNumber, hash }));
        after = rows.at(-1)?.account_id ?? "";
        return rows.length;
      };
      await inPieces(PAGE, printPiece);
    }),
);

export const checkHeads = command(
  {
    name: "check-heads",
    summary: "Compare saved heads with the database",
    details: `Prints one line for each chain that went back, is missing, lacks the event, or has a different event at that number.
The hash of an event that retention has deleted is read from the tree of its account.
${REQUIRES}`,
    options: { file: requiredOption("<file>", "What `annals heads` printed") },
    examples: ["annals check-heads --file heads.jsonl"],
    exitStatus:
      "0 every chain contains its saved head, 1 a chain does not, or failure, 2 usage error or unusable file",
  },
  async ({ file }, { config, log }: CommandContext<typeof SETTINGS>) => {
    const kept = await readFileOfHeads(file);
    const faults = await withDatabase(config, log, (database) => faultsOf(database, kept));
    const verdict =
      faults.length === 0
        ? `all ${kept.length} chains contain their saved heads`
        : `${faults.length} of ${kept.length} chains do not contain their saved heads`;
    process.stdout.write([...faults, verdict].map((line) => `${line}\n`).join(""));
    return faults.length === 0 ? EXIT.ok : EXIT.failure;
  },
);

async function readFileOfHeads(file: string): Promise<KeptHead[]> {
  try {
    const kept = readHeads(await readFile(file, "utf8"));
    if (kept.length === 0) throw new Error("the file contains no head");
    return kept;
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One sentence for each chain that does not contain its kept head. */
async function faultsOf(database: Pool, kept: readonly KeptHead[]): Promise<string[]> {
  const found: string[] = [];
  for (const head of kept) {
    const [row] = await database.run(getHash, [head.accountId, head.sequenceNumber]);
    const fault = headFault(head, row);
    if (fault !== undefined) found.push(fault);
  }
  return found;
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
