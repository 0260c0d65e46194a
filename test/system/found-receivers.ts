// Which real receivers of sinks are on this machine. Called by the fault tests of real receivers, which say
// what they leave out.

import { findCollector } from "./built-collector.ts";
import { findSyslogDaemon, SYSLOG_DAEMONS, type SyslogDaemonName } from "./syslog-daemon.ts";

interface FoundReceivers {
  /** The program of a Collector, or nothing. */
  readonly collectors: readonly string[];
  readonly daemons: readonly (readonly [name: SyslogDaemonName, program: string])[];
  readonly missing: readonly string[];
}

/** `mayBuild` says whether a Collector is built if it is not there. Prints what is missing. */
export async function findReceivers(mayBuild: boolean): Promise<FoundReceivers> {
  const collector = await findCollector(mayBuild).catch((error: Error) => error);
  const daemons = SYSLOG_DAEMONS.flatMap((name) => {
    const program = findSyslogDaemon(name);
    return program === undefined ? [] : [[name, program] as const];
  });
  const missing = [
    ...(typeof collector === "string" ? [] : [`a Collector: ${collector.message}`]),
    ...SYSLOG_DAEMONS.filter((name) => !daemons.some(([found]) => found === name)),
  ];
  if (missing.length > 0)
    // oxlint-disable-next-line no-console -- nothing of the product needs them, so their lack fails nothing
    console.warn(`not tested, because it is not here: ${missing.join("; ")}`);
  return { collectors: typeof collector === "string" ? [collector] : [], daemons, missing };
}
