// The commands of `annals` that a service runs in its own program. A service reads its own settings and
// prints its own help, so a command gets no other rights than its service. It has no logic.

/** The first word of a command line, the service that it is for, and what the list of commands says. */
export const SERVICE_COMMANDS = [
  ["accounts", "keys", "Create, list and rename accounts, add keys, set plans"],
  ["keys", "keys", "List and revoke API keys"],
  ["people", "keys", "Give and take back roles, list and block who has logged in"],
  ["plans", "keys", "Show plans, set the plan of an account"],
  ["workloads", "keys", "List the programs that an account trusts, end that for one"],
  ["verify", "ledger", "Verify a chain, or a range of it"],
  ["heads", "ledger", "Print the head of every chain, for safekeeping"],
  ["check-heads", "ledger", "Compare saved heads with the database"],
  ["erasures", "ledger", "Ask for erasures, keep what was erased, erase it again after a restore"],
  ["holds", "ledger", "Place, release and list holds on events of an account"],
  ["retention", "ledger", "Show and set how long the events of an account are kept"],
  ["log", "ledger", "Show the log of evidence, or begin one that follows it"],
  [
    "sinks",
    "webhook-dispatcher",
    "Show the operator's sinks, send events to one again, skip a refused one",
  ],
  ["webhooks", "webhook-dispatcher", "Rotate the key that seals signing secrets"],
] as const;
