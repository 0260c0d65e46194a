// annals-verify watch: watches the log of an account from outside, as a job that runs now and then. Called by
// main.ts. Exit 0: as it was, exit 1: a fault, with its reason, exit 2: not checked.

import { type Command, command, flag, option, requiredOption } from "@annals/cli";
import { basename } from "node:path";
import { type EvidenceOutcome, outcomeOf, readGiven } from "../evidence/evidence-command.ts";
import { lagIn } from "../evidence/lag-option.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { watchLog } from "./watch-log.ts";
import { watchText } from "./watch-text.ts";

/** `finish` prints an outcome and answers the exit status. */
export function watchCommand(
  readKey: () => string | undefined,
  finish: (outcome: EvidenceOutcome) => number,
): Command {
  return command(
    {
      program: "annals-verify",
      name: "watch",
      summary: "Watch the log of an account from outside, and keep its checkpoint",
      details: `Reads the epochs since the last call, verifies them, and keeps the checkpoint in the state file. A later
call refuses a log that does not continue it. The environment variable ANNALS_API_KEY has a key with
the scope verify. Run it at least once in 14 days, for example each hour by cron.`,
      options: {
        url: requiredOption("<address>", "The service, such as https://annals.example.com"),
        policy: requiredOption(
          "<file>",
          "The logs and witnesses that you trust (c2sp.org/tlog-policy)",
        ),
        state: requiredOption("<file>", "Keeps the checkpoint; made by the first call"),
        "no-witnesses": flag("Do not ask the witnesses that have an address in the policy"),
        "max-anchor-lag": option(
          "<seconds>",
          "Most that an epoch may have waited until witnesses saw it, 93600 (26 hours) by default",
          lagIn,
        ),
      },
      examples: [
        "ANNALS_API_KEY=… annals-verify watch --url https://annals.example.com --policy policy.txt --state annals.state",
      ],
      exitStatus: "0 as it was, 1 a fault, 2 not checked (nothing could be read, or usage error)",
    },
    async ({ policy, state, url, ...given }) =>
      finish(
        await outcomeOf(async () => {
          const apiKey = readKey();
          if (apiKey === undefined || apiKey === "")
            throw new NotChecked("ANNALS_API_KEY is not set");
          const report = await watchLog({
            url,
            apiKey,
            policy: await readGiven(policy),
            state,
            asksWitnesses: !given["no-witnesses"],
            maxAnchorLag: given["max-anchor-lag"],
          });
          return watchText(report, basename(state));
        }, url),
      ),
  );
}
