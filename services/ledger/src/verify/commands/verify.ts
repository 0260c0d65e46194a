// The command `annals verify`: verifies a chain, or a range of it, as GET /v1/verify does, with the code of
// the ledger and the rights of an operator. It needs no key of the account, adds nothing to the outbox, and
// only reads. It compares the filter index of any range, however long.

import type { CommandContext } from "@annals/chassis";
import { command, EXIT, flag, option, requiredOption } from "@annals/cli";
import { systemClock, verificationJson } from "@annals/contract";
import { AnnalsError, invalid } from "@annals/errors";
import { withCommandPool } from "@annals/postgres";
import { ROLE, type SETTINGS } from "../../config.ts";
import { coveredBy } from "../../log/covered-by.ts";
import { BlockChecker } from "../block-checker.ts";
import { verifyChain } from "../verify-chain.ts";
import { asSequenceNumber } from "../../commands/sequence-number.ts";

export const verify = command(
  {
    name: "verify",
    summary: "Verify a chain, or a range of it",
    details: `Recomputes every digest, hash and link, and compares the end with the head and the filter index with the events. Prints
the \`data\` of GET /v1/verify on one line. It is read-only and sends no webhook.
Requires the ANNALS_DATABASE_URL of the ledger.`,
    options: {
      account: requiredOption("<id>", "Id of the account whose chain is verified"),
      from: option("<n>", "First sequence number. Default: 1", asSequenceNumber),
      to: option("<n>", "Last sequence number. Default: that of the head", asSequenceNumber),
      json: flag("Accepted as for other commands: the output is always JSON"),
    },
    examples: [
      "annals verify --account acct_75gtznr6r1q5aecdantb9bkrxd",
      "annals verify --account acct_75gtznr6r1q5aecdantb9bkrxd --from 1 --to 1000",
    ],
    exitStatus:
      "0 valid, 1 verification did not finish, 2 usage error or a range outside the chain, 3 invalid",
  },
  async ({ account: accountId, from, to }, context: CommandContext<typeof SETTINGS>) => {
    const { config, log } = context;
    const asked = { accountId, fromSequence: from, toSequence: to, indexUpTo: Infinity };
    const pool = { config, role: ROLE, applicationName: "annals-ledger-command", log };
    const result = await withCommandPool(
      { ...pool, maxConnections: config.verifyConcurrency },
      async (database) => {
        const deps = { blocks: new BlockChecker(config.verifyConcurrency), database };
        const verified = await verifyChain(deps, asked, new AbortController().signal).catch(
          namingOptions,
        );
        return { ...verified, covered: await coveredBy(database, accountId) };
      },
    );
    if (result.head.sequence === 0 && !result.firstInvalid)
      process.stderr.write(`${accountId} has no event: the account is new or does not exist\n`);
    const index = result.firstInvalid?.index;
    if (index)
      process.stderr.write(
        `the filter index is wrong, not the event: ${index.differs} of the segment at level ${index.level}, base ${index.base}\n`,
      );
    const verifiedAt = systemClock().nowText();
    process.stdout.write(`${verificationJson({ ...result, verifiedAt })}\n`);
    return result.firstInvalid ? EXIT.checkFailed : EXIT.ok;
  },
);

/** Renames the fields of a refused range to the flags of the command. */
function namingOptions(error: unknown): never {
  const [fault] = error instanceof AnnalsError && error.kind === "invalid" ? error.faults : [];
  if (!fault) throw error;
  throw invalid({ field: `--${fault.field.replace("_sequence", "")}`, message: fault.message });
}
