// A system whose log one witness cosigns, with one account: its database can be set back to an earlier
// moment, and its bundles of evidence are verified by both verifiers. Called by the flows of restores and
// rewriting.

import type { Stack } from "@annals/local";
import {
  eventually,
  type HttpClient,
  newClient,
  ownerOf,
  type SharedStack,
  type TestAccount,
} from "@annals/testing";
import { noteSigner, parseCheckpoint, parseNote, type VerifierKey, vkeyOf } from "@annals/tlog";
import { EvidenceFault, type EvidenceReport, verifyEvidence } from "annals-verify";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { hasPython } from "./programs.ts";
import { reasonOf, verdict } from "../verifiers/python-evidence.ts";
import { startConstellation } from "./constellation.ts";
import { append, untilCovered } from "./covered.ts";
import { ended } from "./exports-client.ts";
import { download } from "./exports-large.ts";
import { FakeWitness } from "./fake-witness.ts";
import { metricOf } from "./metric-of.ts";

const WITHIN_MS = 60_000;
const NAME = "log.example/witnessed";

interface Given {
  /** The database of keys, if it is another one. */
  readonly keysUrl?: string;
  /** Whether an epoch is served only with the cosignature. */
  readonly isRequired?: boolean;
  /** Whether it writes bundles of evidence. */
  readonly hasExports?: boolean;
}

interface Checked {
  readonly maxAnchorLag?: number;
  readonly known?: readonly string[];
}

export class WitnessedSystem {
  readonly origin = NAME;
  /** The text of each checkpoint that was served, by its size. */
  readonly served = new Map<number, string>();
  readonly witness: FakeWitness;
  stack!: Stack;
  client!: HttpClient;
  account!: TestAccount;
  #seed = Buffer.alloc(0);
  readonly #keys: VerifierKey[] = [];
  readonly #shared: SharedStack;
  readonly #folder: string;
  readonly #closing: (() => Promise<unknown>)[] = [];

  private constructor(shared: SharedStack, folder: string) {
    this.#shared = shared;
    this.#folder = folder;
    this.witness = new FakeWitness("one.example", 1, () => this.#keys);
  }

  static async start(shared: SharedStack, given: Given = {}): Promise<WitnessedSystem> {
    const folder = await mkdtemp(join(tmpdir(), "annals-witnessed-"));
    const system = new WitnessedSystem(shared, folder);
    system.#closing.push(() => rm(folder, { recursive: true }));
    await system.#start(given);
    return system;
  }

  async #start({ hasExports = true, isRequired = true, keysUrl }: Given): Promise<void> {
    await this.witness.start();
    this.#closing.push(() => this.witness.stop());
    const policy = `${this.witness.line("w1")}quorum ${isRequired ? "w1" : "none"}\n`;
    const file = join(this.#folder, "operators-policy");
    await writeFile(file, policy);
    const policyFile = { ANNALS_LOG_POLICY_FILE: file };
    this.stack = await startConstellation({
      shared: this.#shared,
      rateLimitPerMinute: 1_000_000,
      without: hasExports ? [] : ["export"],
      env: {
        ...(keysUrl !== undefined && { keys: { ANNALS_DATABASE_URL: keysUrl } }),
        ledger: { ...policyFile, ANNALS_LOG_EPOCH_S: "1", ANNALS_LOG_ORIGIN: NAME },
        "webhook-dispatcher": policyFile,
      },
    });
    this.#closing.push(() => this.stack.stop());
    const line = await readFile(join(this.stack.dataDir, "log-key"), "utf8");
    this.#seed = Buffer.from(line.trim(), "base64");
    this.knows(NAME);
    const { baseUrls, databaseUrl } = this.stack;
    const made = await newClient({ baseUrls, databaseUrl: keysUrl ?? databaseUrl });
    [this.client, this.account] = [made.client, made];
  }

  async stop(): Promise<void> {
    for (const close of this.#closing.splice(0).toReversed()) await close();
  }

  /** The log's own key: what an attacker has who has taken keys over. */
  get seed(): Buffer {
    return this.#seed;
  }

  get witnessSeen(): number {
    return this.witness.seen.get(NAME)?.checkpoint.size ?? 0;
  }

  /** The witness is configured for a log of this key. */
  knows(origin: string): void {
    this.#keys.push(noteSigner(origin, this.#seed).key);
  }

  /** Appends, and waits until a witnessed epoch covers everything. */
  async cover(events: number, total: number): Promise<void> {
    await append(this.client, events);
    await untilCovered(this.client, total);
  }

  async append(events: number): Promise<void> {
    await append(this.client, events);
  }

  /** The account's checkpoint, as a customer keeps it. */
  async keep(): Promise<string> {
    const { status, text } = await this.client.get("/v1/log/checkpoint");
    expectSame(status, 200);
    return text;
  }

  /** The size of the head log that is served. Expects that no size had another head before. */
  async look(): Promise<number> {
    const answer = await fetch(`${this.stack.baseUrls[0]}/log/checkpoint`);
    if (answer.status !== 200) return 0;
    const { text } = parseNote(await answer.text());
    const { size } = parseCheckpoint(text);
    expectSame(this.served.get(size) ?? text, text);
    this.served.set(size, text);
    return size;
  }

  /** How often ledgers have counted a log that went back. */
  async rollbacks(): Promise<number> {
    const ledger = this.stack.processes.find(({ service }) => service === "ledger");
    return metricOf(ledger?.adminUrl, "annals_log_rollback_total");
  }

  async untilRolledBack(): Promise<void> {
    await eventually(
      "the count",
      async () => {
        await this.look();
        return (await this.rollbacks()) > 0;
      },
      WITHIN_MS,
    );
  }

  owner(): ReturnType<typeof ownerOf> {
    return ownerOf(this.stack.databaseUrl);
  }

  /** Does something to the database while no service runs, but for those named. */
  async whileStopped<T>(work: () => Promise<T>, running: readonly string[] = []): Promise<T> {
    const stopped = this.stack.processes.filter(
      ({ adminUrl, service }) => adminUrl !== undefined && !running.includes(service),
    );
    await Promise.all(stopped.map((each) => each.stop()));
    const result = await work();
    for (const each of stopped) each.start();
    await Promise.all(stopped.map((each) => each.waitReady(WITHIN_MS)));
    return result;
  }

  /** A copy of the database as it is: the backup. Services have no connections meanwhile. */
  async backUp(): Promise<string> {
    const [database, name] = [this.#database, `${this.#database}_copy`];
    await this.#admin(
      `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
      `CREATE DATABASE ${name} TEMPLATE ${database}`,
      `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`,
    );
    await Promise.all(this.stack.processes.map((each) => each.waitReady(WITHIN_MS)));
    return name;
  }

  /** Sets the database back to the copy. keys keeps running if it has another one. */
  async restore(copy: string, running: readonly string[] = []): Promise<void> {
    await this.whileStopped(async () => {
      await this.#admin(
        `DROP DATABASE ${this.#database} WITH (FORCE)`,
        `ALTER DATABASE ${copy} RENAME TO ${this.#database}`,
      );
    }, running);
  }

  get #database(): string {
    return new URL(this.stack.databaseUrl).pathname.slice(1);
  }

  async #admin(...statements: readonly string[]): Promise<void> {
    const owner = ownerOf(this.#shared.databaseUrl);
    for (const statement of statements) await owner.query(statement);
    await owner.close();
  }

  /** A bundle of all events. */
  async bundle(): Promise<string> {
    const made = await this.client.post("/v1/exports", { format: "evidence" });
    expectSame(made.status, 201);
    const { id } = await ended(this.client, made.body.data.id, "completed", WITHIN_MS);
    const file = join(this.#folder, `${id}.tar`);
    await download(this, id, file);
    return file;
  }

  /** The report of annals-verify, or the reason of its refusal, which the verifier in Python shares. */
  async verify(
    file: string,
    { known = [], maxAnchorLag }: Checked,
  ): Promise<EvidenceReport | string> {
    const [newest] = this.#keys.slice(-1);
    // A log that follows another has the same key, which a policy names once.
    const log = newest ? `log ${vkeyOf(newest)}\n` : "";
    const policy = Buffer.from(`${log}${this.witness.line("w1")}quorum w1\n`);
    const given = { policy, known: known.map((note) => Buffer.from(note)) };
    const lag = maxAnchorLag === undefined ? {} : { maxAnchorLag };
    const said = await verifyEvidence(file, { ...given, ...lag }).catch((error: unknown) => {
      if (error instanceof EvidenceFault) return error.reason;
      throw error;
    });
    if (hasPython) {
      const other = reasonOf(verdict(await readFile(file), { ...given, ...lag }));
      expectSame(other, typeof said === "string" ? said : "valid");
    }
    return said;
  }

  /** The same, for a bundle that is valid. */
  async report(file: string, checked: Checked = {}): Promise<EvidenceReport> {
    const said = await this.verify(file, checked);
    return typeof said === "string" ? expect.fail(said) : said;
  }
}

function expectSame(value: number | string, expected: number | string): void {
  expect(value).toBe(expected);
}
