// annals-verify log-keys: prints the keys of a log that follow those of a policy, as lines for it. Called by
// main.ts. Exit 0: each key that signs now is known or named by the log, exit 1: a fault, with its reason,
// exit 2: not checked.

import { type Command, command, option, requiredOption } from "@annals/cli";
import { type EvidenceOutcome, outcomeOf, readGiven } from "../evidence/evidence-command.ts";
import { followKeys, type FollowReport } from "./follow-keys.ts";

/** `finish` prints an outcome and answers the exit status. */
export function keysCommand(finish: (outcome: EvidenceOutcome) => number): Command {
  return command(
    {
      program: "annals-verify",
      name: "log-keys",
      summary: "Find the keys of a log that follow those of your policy",
      details: `Reads the head log, whose entries name each new key, under a checkpoint that a key of your policy has signed.
Prints a line for the policy for each key that signed the checkpoint and is not in it. After the old key has left,
give a checkpoint of the head log that you, a witness or a bucket kept from the time when both keys signed.`,
      options: {
        url: requiredOption("<address>", "The head log, such as https://annals.example.com/log/"),
        policy: requiredOption("<file>", "The keys that you trust (c2sp.org/tlog-policy)"),
        checkpoint: option(
          "<file>",
          "A checkpoint of the head log in place of the one that is served",
        ),
      },
      examples: [
        "annals-verify log-keys --url https://annals.example.com/log/ --policy policy.txt",
        "annals-verify log-keys --url https://annals.example.com/log/ --policy policy.txt --checkpoint kept",
      ],
      exitStatus:
        "0 all keys are known or named, 1 a fault, 2 not checked (unreadable, or usage error)",
    },
    async ({ checkpoint, policy, url }) =>
      finish(
        await outcomeOf(async () => {
          const given = checkpoint === undefined ? {} : { checkpoint: await readGiven(checkpoint) };
          return textOf(await followKeys({ url, policy: await readGiven(policy), ...given }));
        }, url),
      ),
  );
}

function textOf({ keys, origin, size }: FollowReport): string {
  const head = `origin ${origin} · epoch ${size}\n`;
  if (keys.length === 0) return `${head}every key that signed it is in the policy\n`;
  const named = keys.map(
    ({ epoch, time, vkey }) => `# named by epoch ${epoch} of ${time}\nlog ${vkey}\n`,
  );
  return `${head}add to the policy:\n${named.join("")}`;
}
