// What the cases of the spool use: a folder, a service, and drivers that are killed. Made by spool.test.ts
// for each case.

import { eventually } from "@annals/testing";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import {
  type Answering,
  json,
  type ScriptedServer,
  scriptedServer,
} from "../sdk/scripted-server.ts";
import { type Command, Driver } from "./drivers.ts";

const START = Date.parse("2026-01-31T09:30:00Z");

/** What starts the first process of a case, and the others. */
export interface Commands {
  readonly first: Command;
  readonly next: Command;
}

export class SpoolWorld {
  readonly dir: string;
  readonly #commands: Commands;
  readonly #fault: string | undefined;
  readonly #drivers: Driver[] = [];
  server: ScriptedServer;
  #answer: Answering;

  static async create(
    dir: string,
    commands: Commands,
    answer: Answering,
    fault?: string,
  ): Promise<SpoolWorld> {
    const world = new SpoolWorld(dir, commands, answer, await scriptedServer(() => {}), fault);
    world.server.answer = (...request) => world.#respond(...request);
    return world;
  }

  private constructor(
    dir: string,
    commands: Commands,
    answer: Answering,
    server: ScriptedServer,
    fault: string | undefined,
  ) {
    this.dir = dir;
    this.#commands = commands;
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
    const driver = new Driver(this.#commands[this.#drivers.length === 0 ? "first" : "next"]);
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
