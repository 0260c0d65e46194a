// The commands of `annals`, and the service whose own program runs each. It has no logic. A service reads its
// own settings and prints its own help, so a command gets no other rights than its service.

/** The services with a schema, and its name. */
export const MIGRATING: ReadonlyMap<string, string> = new Map([
  ["keys", "keys"],
  ["ledger", "ledger"],
  ["export", "exports"],
  ["webhook-dispatcher", "webhooks"],
]);

export interface Verb {
  /** The words of the command line that select it. */
  readonly words: readonly string[];
  readonly service: string;
  /** The name of the command in the service's own program. */
  readonly verb: string;
  readonly about: string;
}

export const VERBS: readonly Verb[] = [
  row("accounts", "keys", "accounts", "create, list, rename accounts; add-key; set-plan"),
  row("keys", "keys", "keys", "list and revoke API keys"),
  row("plans", "keys", "plans", "show plans, set the plan of an account"),
  row("verify", "ledger", "verify", "verify a chain, or a range of it"),
  row("heads", "ledger", "heads", "print the heads of all chains, for safekeeping"),
  row("check-heads", "ledger", "check-heads", "compare saved heads with the database"),
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
  ["migrate", "migrate the schemas to this release"] as const,
  ["status", "show the health of every process"] as const,
].map(([words, about]) => `  ${words.padEnd(28)} ${about}`);

export const HELP = `Usage: annals <command> [flags]

${LIST.join("\n")}

Run "annals <command> --help" for flags and examples. --json prints one JSON document instead of text.

Exit status: 0 success, 1 failure, 2 usage or configuration error, 3 check failed (invalid chain, unhealthy process).
docs/operators/command-line.md has the details.
`;

export const MIGRATE_HELP = `Usage: annals migrate [--service <service>]...

Migrates the schemas of ${[...MIGRATING.keys()].join(", ")} in parallel, or of the
named services only. Each service migrates in its own process. A second run changes nothing. If one service fails, the
others continue.

Prints one line of JSON: for each schema its version before and after, the applied migrations, roles and logins, or the
error. Progress is written to standard error.

Requires ANNALS_DATABASE_URL with a login that may create roles. A setting that is for one service only is prefixed with
the service name: KEYS_ANNALS_DATABASE_URL, WEBHOOK_DISPATCHER_ANNALS_DATABASE_URL.

Exit status: 0 success, 1 a migration failed, 2 usage or configuration error.

Examples:
  annals migrate
  annals migrate --service keys --service ledger
`;

export const STATUS_HELP = `Usage: annals status [--url <url>]... [--json]

Queries /readyz and /metrics on the admin port of every process, and prints one line per process: service, address,
release, health and lag. Problems are listed below each process.

By default it queries the processes of the local stack (ANNALS_DATA_DIR, .annals). If there is no local stack, it queries
the process on this machine or in this pod (ANNALS_ADMIN_PORT, 9091). A host name is expanded to all its addresses.

Exit status: 0 all processes are healthy, 2 usage error, 3 a process is unhealthy.

Examples:
  annals status
  annals status --url http://annals-keys:9091 --url http://annals-ledger:9091 --json
`;
