// Measures which share of all accounts PostgreSQL cannot serve now. Run by a loop of every ledger. If tables
// are distributed, it asks each server for one account and weighs the server by its shards: the ids of
// accounts spread evenly over them. It must never wait for one server before it asks the next.

import { type Database, isDistributed } from "@annals/postgres";
import { getHeadSequences } from "../../store/get-head-sequences.ts";
import { listServers, type ServerRow } from "../store/list-servers.ts";

export const DELAY_MS = 10_000;

interface AvailabilityDeps {
  readonly database: Database;
  /** Called after each run with a share from 0 to 1. */
  readonly unavailable: (share: number) => void;
}

/** What is asked if tables are not distributed, or nothing is known of the servers yet. */
const ONE_SERVER: readonly ServerRow[] = [{ shards: 1, account_id: "probe_1" }];

export class Availability {
  readonly #deps: AvailabilityDeps;
  #servers = ONE_SERVER;

  constructor(deps: AvailabilityDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { database, unavailable } = this.#deps;
    this.#servers = await this.#list().catch(() => this.#servers);
    const answers = await Promise.allSettled(
      this.#servers.map((server) => database.run(getHeadSequences, [[server.account_id]])),
    );
    let [all, away] = [0, 0];
    for (const [index, { shards }] of this.#servers.entries()) {
      all += shards;
      if (answers[index]?.status === "rejected") away += shards;
    }
    unavailable(all > 0 ? away / all : 0);
  }

  async #list(): Promise<readonly ServerRow[]> {
    const { database } = this.#deps;
    return (await isDistributed(database)) ? database.run(listServers, []) : ONE_SERVER;
  }
}
