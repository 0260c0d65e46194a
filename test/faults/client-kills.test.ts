// Guarantee: each event that a client with a spool has accepted is stored once and in order, though clients
// and gateways are killed. One client is in TypeScript, the next in Python, the next in Go, if these are
// there. Of transactions with an outbox, exactly the events of the committed ones are stored, each once,
// though relays are killed. The controls are in test/clients.

import { Annals } from "@annals/sdk";
import { Outbox, OUTBOX_SCHEMA } from "@annals/sdk/outbox";
import { Spool } from "@annals/sdk/spool";
import { createDatabase, eventually, poolOf } from "@annals/testing";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { buildGo } from "../clients/go-driver.ts";
import { hasGo } from "../system/go.ts";
import { hasPython310 } from "../system/programs.ts";
import { report } from "../system/report.ts";
import { processesOf, startTestbed, type Testbed } from "../system/testbed.ts";

const { events, gatewayKills, kills, relayKills, transactions } = inject("form").clientKills;
const CHILD = [process.execPath, "-C", "source", join(import.meta.dirname, "client-child.ts")];

let bed: Testbed;
let programs: string;
/** The clients with a spool, one of each language. */
const clients: (readonly string[])[] = [[...CHILD, "spool"]];

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), "annals-clients-"));
  if (hasPython310) clients.push(["python3", join(import.meta.dirname, "client_child.py")]);
  if (hasGo) clients.push(await buildGo("child", programs));
  const lacking = [...(hasPython310 ? [] : ["Python"]), ...(hasGo ? [] : ["Go"])];
  // oxlint-disable-next-line no-console -- without them, the others are killed as often
  for (const language of lacking) console.warn(`left out, clients in ${language}`);
  bed = await startTestbed();
});
afterAll(async () => {
  await bed?.stop();
  rmSync(programs, { recursive: true });
});

interface Stored {
  readonly run: number;
  readonly number: number;
}

async function stored({ key }: { key: string }): Promise<Stored[]> {
  const { events: list } = new Annals({ baseUrl: bed.stack.baseUrls[0] ?? "", apiKey: key });
  const all = await list.list({ order: "asc", limit: 100, action: "tracked" }).toArray();
  return all.map(({ metadata }) => metadata as unknown as Stored);
}

/** A process of its own, at one gateway and then at the other. */
function start(
  command: readonly string[],
  round: number,
  ...options: readonly string[]
): ChildProcess {
  const { baseUrls } = bed.stack;
  const [program = "", ...words] = command;
  const given = [...words, baseUrls[round % baseUrls.length] ?? "", ...options];
  const child = spawn(program, given, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A client with a spool, in one language and then in the next. */
function startClient(round: number, ...options: readonly string[]): ChildProcess {
  return start(clients[round % clients.length] ?? [], round, ...options, String(round));
}

function startRelay(round: number, ...options: readonly string[]): ChildProcess {
  return start([...CHILD, "outbox"], round, ...options);
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

function killGateway(round: number, rounds: number): void {
  const each = Math.ceil(rounds / gatewayKills);
  const gateways = processesOf(bed.stack, "gateway");
  if (round % each === each - 1) gateways[round % gateways.length]?.kill("SIGKILL");
}

test(`${events} tracked events, ${kills} clients killed: each accepted one once and in order`, async () => {
  const account = await bed.account();
  const dir = mkdtempSync(join(tmpdir(), "annals-spool-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const accepted: number[] = [];
  for (let round = 0; round < kills; round += 1) {
    const child = startClient(round, account.key, dir);
    let last = 0;
    const enough = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
        last = Number(line);
        if (last >= events / kills) resolve();
      });
    });
    await enough;
    killGateway(round, kills);
    await kill(child);
    accepted.push(last);
  }
  const spool = new Spool(dir);
  const [baseUrl = ""] = bed.stack.baseUrls;
  const annals = new Annals({ baseUrl, apiKey: account.key, tracking: { spool } });
  await annals.flush();
  await annals.close();

  const all = await stored(account);
  const wrong = all.filter(({ run, number }, at) => {
    const before = all[at - 1];
    return before?.run === run ? number !== before.number + 1 : number !== 1;
  });
  expect(wrong).toEqual([]);
  const runs = all.map(({ run }) => run).filter((run, at, each) => run !== each[at - 1]);
  expect(runs).toEqual(accepted.map((_, run) => run));
  const lost = accepted.filter(
    (last, run) => all.findLast((one) => one.run === run)!.number < last,
  );
  expect(lost).toEqual([]);
  expect(spool.stats()).toEqual({ refused: 0, unconfirmed: 0, damaged: 0, waiting: 0 });
  report({ events: all.length, kills, gatewayKills, languages: clients.length });
});

test(`${transactions} transactions, a third rolled back, ${relayKills} relays killed: exactly the others`, async () => {
  const account = await bed.account();
  const database = await createDatabase(bed.stack.databaseUrl);
  const pool = poolOf(database.url);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  await pool.query(OUTBOX_SCHEMA);
  const [baseUrl = ""] = bed.stack.baseUrls;
  const outbox = new Outbox({ annals: new Annals({ baseUrl, apiKey: account.key }), pool });
  const transact = async (number: number): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await outbox.add(client, { action: "tracked", metadata: { run: 0, number } });
      await client.query(number % 3 === 0 ? "ROLLBACK" : "COMMIT");
    } finally {
      client.release();
    }
  };
  const left = async (): Promise<number> => {
    const { rows } = await pool.query("SELECT count(*)::int AS count FROM annals_outbox");
    return (rows[0] as { count: number }).count;
  };
  const each = Math.ceil(transactions / relayKills);
  let relay = startRelay(0, account.key, database.url);
  for (let number = 1; number <= transactions; number += 1) {
    await transact(number);
    if (number % each !== 0) continue;
    const before = await left();
    await eventually("some were sent", async () => (await left()) < Math.max(1, before));
    killGateway(number / each, relayKills);
    await kill(relay);
    // The minute after which another relay takes a batch over.
    await pool.query("UPDATE annals_outbox SET claimed_at = claimed_at - interval '61 s'");
    relay = startRelay(number / each, account.key, database.url);
  }
  await eventually("everything is sent", async () => (await left()) === 0);
  await kill(relay);

  const numbers = (await stored(account)).map(({ number }) => number);
  const all = Array.from({ length: transactions }, (_, at) => at + 1);
  expect(numbers).toEqual(all.filter((number) => number % 3 !== 0));
  const { rows } = await pool.query("SELECT id FROM annals_outbox_refused");
  expect(rows).toEqual([]);
  report({ transactions, relayKills });
});
