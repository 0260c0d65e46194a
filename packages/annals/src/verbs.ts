// The table of contents of the command `annals`: which verb of which service each line runs. No logic. A
// service reads its own settings and prints its own help, so a verb gets no rights but those of its service.

/** The services with a schema, and its name. */
export const MIGRATING: ReadonlyMap<string, string> = new Map([
  ["keys", "keys"],
  ["ledger", "ledger"],
  ["export", "exports"],
  ["webhook-dispatcher", "webhooks"],
]);

export interface Verb {
  /** As they are typed. */
  readonly words: readonly string[];
  readonly service: string;
  /** What the service's own program calls it. */
  readonly verb: string;
  readonly about: string;
}

export const VERBS: readonly Verb[] = [
  row("accounts", "keys", "accounts", "create, list, rename accounts; add-key; set-plan"),
  row("keys", "keys", "keys", "list and revoke API keys"),
  row("plans", "keys", "plans", "show plans, set the plan of an account"),
  row("verify", "ledger", "verify", "verify a chain, or a range of it"),
  row("heads", "ledger", "heads", "print the heads of all chains, to be kept"),
  row("check-heads", "ledger", "check-heads", "compare kept heads with the database"),
  row(
    "webhooks rotate-sealing-key",
    "webhook-dispatcher",
    "rotate-secrets",
    "seal signing secrets with the first key of the file",
  ),
];

function row(words: string, service: string, verb: string, about: string): Verb {
  return { words: words.split(" "), service, verb, about };
}

const LIST = [
  ...VERBS.map(({ about, words }) => [words.join(" "), about] as const),
  ["migrate", "bring the schemas up to this release"] as const,
  ["status", "ask every process whether it is well"] as const,
].map(([words, about]) => `  ${words.padEnd(28)} ${about}`);

export const HELP = `usage: annals VERB …

${LIST.join("\n")}

annals VERB --help prints the words of a verb, with examples. --json prints JSON, one document, in place of lines.

Exit status: 0 done, 1 failed, 2 wrong words or settings, 3 the answer is not good (an invalid chain, a process that is not
well). docs/operators/command-line.md has the details.
`;

export const MIGRATE_HELP = `usage: annals migrate [--service SERVICE]…

Runs \`migrate\` of ${[...MIGRATING.keys()].join(", ")} side by side, or of the
services that are named, each as a process of its own. Run again, it changes nothing. One that fails does not stop the
others.

Prints one line of JSON: of each schema the version before and after, what was applied, roles and logins, or why it
failed. Waiting for a database is said on standard error.

Needs ANNALS_DATABASE_URL with a login that may create roles. A setting of one service alone has its name in front:
KEYS_ANNALS_DATABASE_URL, WEBHOOK_DISPATCHER_ANNALS_DATABASE_URL.

Exit status: 0 done, 1 a schema failed, 2 wrong words or settings.

Examples:
  annals migrate
  annals migrate --service keys --service ledger
`;

export const STATUS_HELP = `usage: annals status [--url URL]… [--json]

Asks /readyz and /metrics of the admin port of every process, and prints a line for each: service, address, release,
whether it is well, and what it lags behind. What is not well stands below it, a sentence a line.

By default it asks the processes of the local stack if there is one (ANNALS_DATA_DIR, .annals), else the process on this
machine or in this pod (ANNALS_ADMIN_PORT, 9091). A name in a URL that has several addresses stands for all of them.

Exit status: 0 all are well, 3 one is not, 2 wrong words.

Examples:
  annals status
  annals status --url http://annals-keys:9091 --url http://annals-ledger:9091 --json
`;
