// The longest turn of the event loop of each process of the systems that tests start. constellation.ts adds
// them to the file that ANNALS_TEST_TURNS names; as a program this prints the longest ones of each service in
// such a file. A process that was killed is left out.

import type { Stack } from "@annals/local";
import { appendFileSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { metricOf } from "./metric-of.ts";

const METRIC = "annals_event_loop_longest_turn_cpu_seconds{";
const MS_PER_S = 1_000;
const SHOWN = 5;

interface Turn {
  readonly service: string;
  readonly index: number;
  readonly ms: number;
}

/** Call it before the system is stopped. */
export async function noteTurns(file: string, { processes }: Pick<Stack, "processes">) {
  const served = processes.filter(({ adminUrl }) => adminUrl !== undefined);
  for (const { adminUrl, index, service } of served) {
    const seconds = await metricOf(adminUrl, METRIC, 'since="start"').catch(() => undefined);
    if (seconds === undefined) continue;
    const turn: Turn = { service, index, ms: seconds * MS_PER_S };
    appendFileSync(file, `${JSON.stringify(turn)}\n`);
  }
}

/** A line for each service, with its longest turns first. */
function turnsTable(text: string): string {
  const turns = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Turn)
    .toSorted((one, other) => other.ms - one.ms);
  const lines = Array.from(
    Map.groupBy(turns, ({ service }) => service),
    ([service, all]) => {
      const longest = all.slice(0, SHOWN).map(({ ms }) => ms.toFixed(0));
      return `${service.padEnd(20)} ${longest.join(", ")} ms, of ${all.length} processes`;
    },
  );
  return `${lines.join("\n")}\n`;
}

const [, program = "", file] = process.argv;
if (import.meta.url === pathToFileURL(program).href && file !== undefined)
  process.stdout.write(turnsTable(readFileSync(file, "utf8")));
