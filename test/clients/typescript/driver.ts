// The driver of @annals/sdk for test/clients: reads commands from stdin, a line each, and writes a response
// for each, as test/clients/README.md describes. A fault can be switched on, so that tests show that a case
// can fail.

import { Annals, type Drop, type NewEvent, verifyWebhook } from "@annals/sdk";
import { Spool } from "@annals/sdk/spool";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { DriverClock } from "./driver-clock.ts";
import { type Fault, faultyFetch, faultyTracking } from "./faults.ts";
import { fillDisk, spoilFiles } from "./file-faults.ts";

interface Open {
  readonly base_url: string;
  readonly keys: readonly string[];
  readonly batch_events?: number;
  readonly batch_bytes?: number;
  readonly max_events?: number;
  readonly max_wait_ms?: number;
  readonly timeout_ms?: number;
  readonly spool?: string;
  readonly max_bytes?: number;
  readonly producer?: string;
  readonly now?: string;
  readonly fault?: Fault;
}

interface Command extends Open {
  readonly id: number;
  readonly command: string;
  readonly event: NewEvent;
  readonly not_a_number?: boolean;
  readonly ms: number;
  readonly at_once?: boolean;
  readonly full: boolean;
  readonly pages: Parameters<Annals["verify"]["events"]>[0];
  readonly webhook?: { body: string; headers: Record<string, string>; secret: string; now: number };
}

let clock = new DriverClock();
let clients: Annals[] = [];
let fault: Fault | undefined;
let tracked = 0;
let drops: object[] = [];
let warnings: object[] = [];
let problems: (string | undefined)[] = [];
let spool: Spool | undefined;

/** As the protocol has it: an error by its type and status. */
function shown({ reason, events, error }: Drop): object {
  const { type, status } = (error ?? {}) as { type?: string; status?: number };
  const actions = events.map(({ action }) => action);
  return { reason, actions, type: type ?? null, status: status ?? null };
}

function open({ base_url: baseUrl, keys, timeout_ms: timeoutMs, ...options }: Open): object {
  fault = options.fault;
  tracked = 0;
  const toldDrops: object[] = (drops = []);
  const toldWarnings: object[] = (warnings = []);
  const toldProblems: (string | undefined)[] = (problems = []);
  clock = new DriverClock(fault === "clock-paused", options.now);
  spoilFiles(fault);
  spool = undefined;
  if (options.spool !== undefined && fault !== "no-spool")
    spool = new Spool(options.spool, {
      ...(options.max_bytes !== undefined &&
        fault !== "no-bound" && { maxBytes: options.max_bytes }),
      ...(options.producer !== undefined &&
        fault !== "numbers-before-acceptance" && { producer: options.producer }),
      onProblem: ({ error }) => toldProblems.push((error as { code?: string }).code),
    });
  let asked = 0;
  const made = () =>
    new Annals({
      baseUrl,
      apiKey: () => keys[fault === "key-kept" ? 0 : Math.min(asked++, keys.length - 1)] ?? "",
      clock,
      random: () => 0,
      fetch: faultyFetch(fault),
      ...(timeoutMs !== undefined && { timeoutMs }),
      tracking: faultyTracking(fault, {
        ...(spool && { spool }),
        ...(options.batch_events !== undefined && { batchEvents: options.batch_events }),
        ...(options.batch_bytes !== undefined && { batchBytes: options.batch_bytes }),
        ...(options.max_events !== undefined && { maxEvents: options.max_events }),
        ...(options.max_wait_ms !== undefined && { maxWaitMs: options.max_wait_ms }),
        onDrop: (drop) => toldDrops.push(shown(drop)),
        onStall: (stall) => toldWarnings.push(stall),
      }),
    });
  clients = fault === "no-order" ? [made(), made()] : [made()];
  return {};
}

function track({ event, not_a_number: isNotANumber }: Command): object {
  const metadata = isNotANumber === true ? { value: Number.NaN } : event.metadata;
  const value =
    fault === "nan-as-null" ? (JSON.parse(JSON.stringify(metadata ?? {})) as {}) : metadata;
  const client = clients[tracked++ % clients.length];
  if (fault === "numbers-before-acceptance") {
    const producer = { id: "billing-000000000000", n: tracked, dropped: 0 };
    return { tracked: client?.track({ ...event, context: { producer } }) };
  }
  return { tracked: client?.track({ ...event, ...(value !== undefined && { metadata: value }) }) };
}

const buffered = (): number => clients.reduce((sum, client) => sum + client.buffered, 0);

/** The client waits for its clock or has nothing to send, and not for the network. */
async function settled(): Promise<void> {
  while (buffered() > 0 && !clock.isWaitedFor) await setImmediate();
}

async function advance(ms: number, atOnce = false): Promise<object> {
  await settled();
  const until = clock.time + ms;
  if (atOnce) clock.time = until;
  while (clock.step(until)) await settled();
  return {};
}

async function verify({ pages, webhook }: Command): Promise<object> {
  if (fault === "verify-anything") return { valid: true };
  try {
    if (webhook === undefined) {
      const { verify: local } = new Annals({ baseUrl: "http://localhost", apiKey: "k" });
      return { valid: (await local.events(pages)).state === "verified" };
    }
    const { body, headers, now, secret } = webhook;
    await verifyWebhook(body, headers, secret, { now: () => now });
    return { valid: true };
  } catch {
    return { valid: false };
  }
}

async function run(command: Command): Promise<object> {
  switch (command.command) {
    case "open":
      return open(command);
    case "track":
      return track(command);
    case "ready":
      if (fault !== "ready-at-once") await Promise.all(clients.map((client) => client.ready()));
      return {};
    case "flush":
      await Promise.all(clients.map((client) => client.flush()));
      return {};
    case "close":
      if (fault !== "no-close")
        await Promise.all(clients.map((client) => client.close(command.ms)));
      return {};
    case "advance":
      return advance(command.ms, command.at_once);
    case "drops":
      return { drops, warnings, problems, kept: spool?.stats() ?? null };
    case "disk":
      if (fault !== "no-disk-faults") fillDisk(command.full);
      return {};
    case "verify":
      return verify(command);
    default:
      throw new Error(`no such command: ${command.command}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  const answer = (result: object): void => {
    process.stdout.write(`${JSON.stringify({ id: command.id, ...result })}\n`);
  };
  void run(command).then(answer, (error: unknown) => answer({ error: String(error) }));
}
// Nobody hears the driver any longer: a client that waits must not keep it.
process.exit();
