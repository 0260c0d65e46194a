// The verb `verify`: verifies a chain, or a range of it, as GET /v1/verify does, with the code of the ledger
// and the rights of an operator. It needs no key of the account, adds nothing to the outbox, and only reads.
// It compares the filter index of any range, however long.

import { UsageError, type VerbContext } from "@annals/chassis";
import { systemClock, verificationJson } from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import { withCommandPool } from "@annals/postgres";
import { parseArgs } from "node:util";
import { ROLE, type SETTINGS } from "../config.ts";
import { BlockChecker } from "../verify/block-checker.ts";
import { type AskedRange, verifyChain } from "../verify/verify-chain.ts";

const USAGE = "Usage: annals verify --account <id> [--from <n>] [--to <n>] [--json]";

export const VERIFY_HELP = `${USAGE}

Recomputes every digest, hash and link of a chain, or of the range --from to --to, and compares the end with the head. It
also compares the filter index with the events. Prints the \`data\` of GET /v1/verify on one line. It is read-only and
sends no webhook.

Exit status: 0 valid, 1 verification did not finish, 2 usage error or a range outside the chain, 3 invalid.

Requires the ANNALS_DATABASE_URL of the ledger.

Examples:
  annals verify --account acct_75gtznr6r1q5aecdantb9bkrxd
  annals verify --account acct_75gtznr6r1q5aecdantb9bkrxd --from 1 --to 1000
`;

/** The exit status of a failed check (docs/operators/command-line.md). */
const NOT_VALID = 3;

export async function verify({ config, log, words }: VerbContext<typeof SETTINGS>): Promise<void> {
  const asked = parse(words);
  const pool = { config, role: ROLE, applicationName: "annals-ledger-command", log };
  const result = await withCommandPool(
    { ...pool, maxConnections: config.verifyConcurrency },
    async (database) => {
      const deps = { blocks: new BlockChecker(config.verifyConcurrency), database };
      return verifyChain(deps, asked, new AbortController().signal).catch(namingOptions);
    },
  );
  if (result.head.sequence === 0 && !result.firstInvalid) {
    process.stderr.write(`${asked.accountId} has no event: the account is new or does not exist\n`);
  }
  const verifiedAt = systemClock().nowText();
  process.stdout.write(`${verificationJson({ ...result, verifiedAt })}\n`);
  if (result.firstInvalid) process.exitCode = NOT_VALID;
}

function parse(words: readonly string[]): AskedRange {
  const { account, from, to } = options(words);
  if (account === undefined) throw new UsageError(`--account is required\n${USAGE}`);
  return {
    accountId: account,
    fromSequence: sequence("--from", from),
    toSequence: sequence("--to", to),
    indexUpTo: Infinity,
  };
}

function options(words: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    const known = { account: text, from: text, to: text, json: { type: "boolean" } as const };
    return parseArgs({ args: [...words], options: known, strict: true }).values;
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : "invalid arguments"}\n${USAGE}`,
    );
  }
}

function sequence(option: string, value: string | undefined): bigint | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,15}$/.test(value)) {
    throw new UsageError(`${option} must be a sequence number, 1 or more\n${USAGE}`);
  }
  return BigInt(value);
}

/** Renames the fields of a refused range to the flags of the command. */
function namingOptions(error: unknown): never {
  const [fault] = error instanceof AnnalsError && error.kind === "invalid" ? error.faults : [];
  if (!fault) throw error;
  throw invalid({ field: `--${fault.field.replace("_sequence", "")}`, message: fault.message });
}
