// What the cases of the spool use: a folder, files as docs/spool-format.md has them, and drivers that are
// killed. Made by spool.test.ts for each case. The files are written here, and not by an SDK.

import { eventually } from "@annals/testing";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Answering,
  json,
  type ScriptedServer,
  scriptedServer,
} from "../sdk/scripted-server.ts";
import { Driver, type DRIVERS } from "./drivers.ts";

const START = Date.parse("2026-01-31T09:30:00Z");
const HOUR_MS = 3_600_000;

/** An owner that is dead, with the account acct_a. */
const DEAD = "20260131T080000000Z-0123456789ab";

export class SpoolWorld {
  readonly dir: string;
  readonly #command: (typeof DRIVERS)[string];
  readonly #fault: string | undefined;
  readonly #drivers: Driver[] = [];
  server: ScriptedServer;
  #answer: Answering;

  static async create(
    dir: string,
    command: (typeof DRIVERS)[string],
    answer: Answering,
    fault?: string,
  ): Promise<SpoolWorld> {
    const world = new SpoolWorld(dir, command, answer, await scriptedServer(() => {}), fault);
    world.server.answer = (...request) => world.#respond(...request);
    return world;
  }

  private constructor(
    dir: string,
    command: (typeof DRIVERS)[string],
    answer: Answering,
    server: ScriptedServer,
    fault: string | undefined,
  ) {
    this.dir = dir;
    this.#command = command;
    this.#answer = answer;
    this.server = server;
    this.#fault = fault;
  }

  #respond(...[received, response]: Parameters<Answering>): void {
    if (received.path === "/v1/usage") json(response, 200, { data: { account_id: "acct_a" } });
    else this.#answer(received, response, this.batches().length);
  }

  /** Changes what the service answers from now on. */
  answer(answer: Answering): void {
    this.#answer = answer;
  }

  /** Starts a process with a client of the folder. */
  async start(open: object = {}): Promise<Driver> {
    const driver = new Driver(this.#command);
    this.#drivers.push(driver);
    const { baseUrl } = this.server;
    const given = { base_url: baseUrl, keys: ["k"], spool: this.dir, ...open };
    await driver.send("open", { ...given, fault: this.#fault });
    return driver;
  }

  async end(): Promise<void> {
    await Promise.all(this.#drivers.map((driver) => driver.end()));
  }

  /** The bodies and keys of all requests with events. */
  batches(): { actions: string; key: string }[] {
    return this.server.received
      .filter(({ path }) => path === "/v1/events/batch")
      .map(({ body, headers }) => ({
        actions: (JSON.parse(body) as { events: { action: string }[] }).events
          .map(({ action }) => action)
          .join(" "),
        key: String(headers["idempotency-key"]),
      }));
  }

  actions(): string[] {
    return this.batches().map(({ actions }) => actions);
  }

  /** What the events say of their producer. */
  producers(): object[] {
    return this.server.received.flatMap(({ body, path }) => {
      if (path !== "/v1/events/batch") return [];
      const { events } = JSON.parse(body) as { events: { context: { producer: object } }[] };
      return events.map(({ context }) => ({ ...context.producer, id: "" }));
    });
  }

  /** The endings of the keys, without the owner. */
  keys(): string[] {
    return this.batches().map(({ key }) => key.replace(/^.*?-.*?-/, ""));
  }

  async received(count: number): Promise<void> {
    await eventually(`${count} batches`, () => this.batches().length >= count);
  }

  /** Writes a folder that an earlier process has left. */
  leave(
    files: Readonly<Record<string, string>>,
    { account = "acct_a", sentHoursAgo = 1 } = {},
  ): void {
    const path = join(this.dir, DEAD);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const owner = { account, key: null, boot_id: null, pid_namespace: null, pid: 1, started: null };
    writeFileSync(join(path, "owner.json"), JSON.stringify(owner));
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(path, name), text);
      const time = (START - sentHoursAgo * HOUR_MS) / 1_000;
      utimesSync(join(path, name), time, time);
    }
    utimesSync(join(path, "owner.json"), 0, 0);
  }

  /** Makes every folder look as if its owner had not touched it for two minutes. */
  untouch(): void {
    const time = START / 1_000 - 120;
    for (const name of readdirSync(this.dir))
      utimesSync(join(this.dir, name, "owner.json"), time, time);
  }

  /** Names of files without those of owners, in all folders. */
  files(): string[] {
    const all = readdirSync(this.dir, { recursive: true, encoding: "utf8" });
    return all
      .filter((file) => /\/\d+.*\./.test(file))
      .map((file) => file.replace(/^.*\//, ""))
      .toSorted();
  }
}

export function line(action: string): string {
  const text = JSON.stringify({ action, occurred_at: "2026-01-31T08:00:00.000Z" });
  return `${createHash("sha256").update(text).digest("hex").slice(0, 16)} ${text}\n`;
}
