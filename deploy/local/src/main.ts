// What `npm start` runs, under the project's Node: reads the settings, starts the stack, prints how to use
// it, and stops it on a signal. It must never print a key if standard output is not a terminal.

import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { People } from "./people.ts";
import { parseSettings, type Settings } from "./settings.ts";
import { type Stack, startStack } from "./stack.ts";
import { messageOf } from "./outcomes.ts";

/**
 * One Ctrl-C reaches this process up to three times: from the terminal, from npm and from
 * bootstrap.mjs.
 */
const SAME_SIGNAL_MS = 1_000;

/** How often the Prometheus of `--observe` scrapes. */
const SCRAPE_INTERVAL_S = 5;

const CHECKOUT = resolve(import.meta.dirname, "../../..");
const ending = new AbortController();
let stack: Stack | undefined;
let firstSignalAt: number | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
// A closed pipe (`npm start | head`) must not end the system.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

try {
  const begun = performance.now();
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ options: { observe: flag, people: flag } });
  const settings = parseSettings(process.env, CHECKOUT);
  const people = values.people ? await beginPeople(settings) : undefined;
  stack = await startStack({
    ...settings,
    ...people?.options,
    environment: process.env,
    log: say,
    signal: ending.signal,
  });
  say(
    `started in ${((performance.now() - begun) / 1_000).toFixed(1)} s; data in ${settings.dataDir}`,
  );
  const observed = values.observe ? await observe(stack) : [];
  introduce(stack, [...observed, ...((await people?.introduce(stack)) ?? [])]);
} catch (error) {
  if (!ending.signal.aborted) {
    ending.abort();
    process.stderr.write(`${messageOf(error).replaceAll(/^/gm, "annals: ")}\n`);
    process.exitCode = 1;
  }
}

/** The identity provider is loaded only here: nothing else needs it. */
async function beginPeople(settings: Settings): Promise<People> {
  const { startPeople } = await import("./people.ts");
  return startPeople(settings, { environment: process.env, signal: ending.signal });
}

/** What to print of the Prometheus next to the stack. */
async function observe(running: Stack): Promise<string[]> {
  const rules = join(CHECKOUT, "helm/annals/alerts.yml");
  const url = await running.observe({ intervalS: SCRAPE_INTERVAL_S, rules });
  return [`Prometheus    ${url ?? "is not on the PATH (Debian: apt-get install prometheus)"}`];
}

function introduce(running: Stack, observed: readonly string[]): void {
  const [baseUrl, ...others] = running.baseUrls;
  if (baseUrl === undefined) return say("ready, without a gateway");
  const keyFile = relative(process.cwd(), join(running.dataDir, "bootstrap-key"));
  const event = '{"action":"user.login","actor":{"id":"u_1","type":"user"}}';
  const lines = [
    "",
    ...(isDashboardOff() ? [] : [`Dashboard     ${baseUrl}/dashboard/`]),
    `API           ${baseUrl}/v1`,
    ...others.map((url) => `              ${url}/v1`),
    `first API key ${process.stdout.isTTY ? running.bootstrapKey : `in ${keyFile}`}`,
    ...metricsLines(running),
    ...observed,
    "",
    `  curl ${baseUrl}/v1/events -H "Authorization: Bearer $(cat '${keyFile}')" \\`,
    `    -H 'Content-Type: application/json' -d '${event}'`,
    "",
    `ready ${baseUrl}/v1`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function isDashboardOff(): boolean {
  return ["false", "0"].includes(process.env["ANNALS_DASHBOARD"] ?? "");
}

/** Lines that say at which address each service process serves /metrics, /livez and /readyz. */
function metricsLines({ processes }: Stack): string[] {
  const served = processes.filter((each) => each.adminUrl !== undefined);
  return served.map(({ adminUrl, service, index }, at) => {
    const label = at === 0 ? "metrics" : "";
    return `${label.padEnd(13)} ${adminUrl}/metrics  ${service}-${index}`;
  });
}

function stop(): void {
  const now = performance.now();
  if (firstSignalAt === undefined) {
    firstSignalAt = now;
    say("stopping; a second signal stops without waiting");
    ending.abort();
    void stack?.stop().then(() => say("stopped"));
  } else if (now - firstSignalAt > SAME_SIGNAL_MS) {
    // During the start there is no stack yet: the guard stops what runs.
    if (stack === undefined) process.exit(1);
    void stack.stop(true);
  }
}

function say(line: string): void {
  process.stdout.write(`annals: ${line}\n`);
}
