// Compares what clients lose when a service fails: those of Annals, and those of others from npm and PyPI,
// which it installs into a scratch folder and deletes. Prints the table of docs/losses.md, in some six
// minutes. All servers are on the loopback interface.
//
//   node deploy/local/bootstrap.mjs test/clients/losses/main.ts

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { hasGo } from "../../system/go.ts";
import { hasPython310 } from "../../system/programs.ts";
import { buildGo } from "../go-driver.ts";
import { type Failing, type Service, startService } from "./service.ts";

const NPM = [
  "@segment/analytics-node@3.1.0",
  "@workos-inc/node@11.0.0",
  "posthog-node@5.70.0",
  "svix@2.5.0",
];
const PYPI = ["segment-analytics-python==2.4.0", "posthog==7.91.1"];
const EVENTS = 200;
const MANY = 20_000;
const BAD = 100;
/** The longest that a client may take. */
const WITHIN_MS = 240_000;
const run = promisify(execFile);

interface Client {
  readonly name: string;
  readonly command: readonly string[];
  /** Whether a request with one event is awaited: then there is no buffer. */
  readonly isAwaited?: boolean;
  readonly hasSpool?: boolean;
}

interface Case {
  readonly name: string;
  readonly failing: Failing;
  readonly count?: number;
  readonly end?: "flush" | "none";
  readonly isKilled?: boolean;
  /** For clients with a buffer alone. */
  readonly isOfBuffers?: boolean;
}

const OK = { status: 201 };
const CASES: readonly Case[] = [
  {
    name: "429 with `Retry-After: 4`, for 12 s",
    failing: ({ sinceMs }) => (sinceMs < 12_000 ? { status: 429, retryAfter: 4 } : OK),
  },
  { name: "500 for 60 s", failing: ({ sinceMs }) => (sinceMs < 60_000 ? { status: 500 } : OK) },
  {
    name: "every second response cut after storing",
    failing: ({ count }) => (count % 2 === 0 ? "cut" : OK),
  },
  {
    name: "one bad event: good ones lost",
    failing: ({ markers }) => {
      const bad = markers.indexOf(BAD);
      return bad < 0 ? OK : { status: 400, bad };
    },
  },
  { name: "`main` ends without a flush", failing: () => OK, end: "none", isOfBuffers: true },
  {
    name: "SIGKILL in an outage, then a restart",
    failing: () => ({ status: 503 }),
    isKilled: true,
    isOfBuffers: true,
  },
  {
    name: `${MANY.toLocaleString("en")} in a loop, 300 ms a response`,
    failing: async () => {
      await setTimeout(300);
      return OK;
    },
    count: MANY,
    isOfBuffers: true,
  },
];

/** Runs a client to its end, or until it has tracked all. Resolves to the number of events it told of. */
async function runClient(
  { command: [file = "", ...words] }: Client,
  given: readonly string[],
  isKilled = false,
): Promise<number> {
  const child = spawn(file, [...words, ...given], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const timer = globalThis.setTimeout(() => child.kill("SIGKILL"), WITHIN_MS);
  let told = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (isKilled && line === "tracked") child.kill("SIGKILL");
    if (line.startsWith("{")) ({ told } = JSON.parse(line) as { told: number });
  }
  await ended;
  clearTimeout(timer);
  return told;
}

async function cellOf(client: Client, each: Case, scratch: string): Promise<string> {
  const { count = EVENTS, end = "flush", failing, isKilled, isOfBuffers } = each;
  if (isOfBuffers && client.isAwaited) return "–";
  const service = await startService(failing);
  const spool = join(scratch, `spool ${client.name}`);
  const hasSpool = isKilled && client.hasSpool;
  const { command } = client;
  const packages = command.some((word) => word.endsWith("node-clients.ts")) ? [scratch] : [];
  const given = [service.url, String(count), end, ...packages, ...(hasSpool ? [spool] : [])];
  let told = await runClient(client, given, isKilled);
  if (hasSpool) {
    service.failing = () => OK;
    told = await runClient(client, given);
  }
  const cell = textOf(service, failing === CASES[3]?.failing ? count - 1 : count, told);
  service.close();
  return cell;
}

/** Bold: lost, and nothing told the caller. */
function textOf(service: Service, count: number, told: number): string {
  const { again, markers } = service.stored();
  const lost = count - [...markers].filter((marker) => marker > 0).length;
  const named = Math.min(told, lost);
  const twice = again > 0 ? `, ${again} again` : "";
  if (lost === 0) return told > 0 && count === EVENTS ? `0, ${told} told${twice}` : `0${twice}`;
  return named === lost
    ? `${lost} told${twice}`
    : `**${lost - named}**${named > 0 ? `, ${named} told` : ""}${twice}`;
}

async function clientsIn(scratch: string): Promise<Client[]> {
  const node = [process.execPath, "-C", "source", join(import.meta.dirname, "node-clients.ts")];
  await run("npm", ["install", "--prefix", scratch, "--no-save", "--ignore-scripts", ...NPM]);
  const clients: Client[] = [
    { name: "Annals, TypeScript", command: [...node, "annals"], hasSpool: true },
  ];
  const others: Client[] = [
    { name: "Segment, Node", command: [...node, "segment"] },
    { name: "PostHog, Node", command: [...node, "posthog"] },
    { name: "WorkOS, Node", command: [...node, "workos"], isAwaited: true },
    { name: "Svix, Node", command: [...node, "svix"], isAwaited: true },
  ];
  if (hasPython310) {
    await run("python3", ["-m", "venv", join(scratch, "venv")]);
    const program = join(scratch, "venv/bin/python");
    await run(program, ["-m", "pip", "install", "--quiet", ...PYPI]);
    const python = [program, join(import.meta.dirname, "python_clients.py")];
    clients.push({ name: "Annals, Python", command: [...python, "annals"], hasSpool: true });
    others.push({ name: "Segment, Python", command: [...python, "segment"] });
    others.push({ name: "PostHog, Python", command: [...python, "posthog"] });
  }
  if (hasGo) {
    const command = [...(await buildGo("losses", scratch)), "annals"];
    clients.push({ name: "Annals, Go", command, hasSpool: true });
  }
  return [...clients, ...others];
}

const scratch = mkdtempSync(join(tmpdir(), "annals-losses-"));
try {
  const clients = await clientsIn(scratch);
  const print = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
  print(["", ...clients.map(({ name }) => name)]);
  print(["", ...clients].map(() => "---"));
  for (const each of CASES) {
    const cells = await Promise.all(clients.map((client) => cellOf(client, each, scratch)));
    print([each.name, ...cells]);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
