// `@annals/sdk/spool`: events wait in files, which the next process sends if this one is killed. It needs
// Node.js, Bun or Deno, and a local disk.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { EventTracker, SpoolClient, TrackingSpool } from "./batch.ts";
import { settingsOf, type SpoolOptions, type SpoolSettings } from "./spool/settings.ts";
import { SpoolTracker } from "./spool/spool-tracker.ts";

export type { SpoolOptions, SpoolProblem } from "./spool/settings.ts";

const KEPT = ["refused", "unconfirmed", "damaged"] as const;

/** Files of the whole folder that wait for a person, by kind, and events of this client that wait. */
export type SpoolStats = Readonly<Record<(typeof KEPT)[number] | "waiting", number>>;

export class Spool implements TrackingSpool {
  readonly #settings: SpoolSettings;
  #tracker: EventTracker | undefined;

  /** `dir` may be shared by processes. It is made if it is missing. */
  constructor(dir: string, options: SpoolOptions = {}) {
    this.#settings = settingsOf(dir, options);
  }

  open(client: SpoolClient): EventTracker {
    if (this.#tracker) throw new TypeError("a spool is for one client");
    this.#tracker = new SpoolTracker(client, this.#settings);
    return this.#tracker;
  }

  stats(): SpoolStats {
    const { dir } = this.#settings;
    const files = filesIn(dir).flatMap((name) => filesIn(join(dir, name)));
    const count = (kind: string) => files.filter((file) => file.endsWith(`.${kind}`)).length;
    const [refused, unconfirmed, damaged] = KEPT.map(count) as [number, number, number];
    return { refused, unconfirmed, damaged, waiting: this.#tracker?.buffered ?? 0 };
  }
}

/** None in a folder that is not made yet or was just deleted, nor in a file. */
function filesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
