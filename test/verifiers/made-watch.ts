// A log, the server that serves it, and the file in which the watch keeps its state, for tests of the watch.

import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchLog, type WatchOptions, type WatchReport } from "annals-verify";
import { POLICY } from "./made-bundle.ts";
import { MadeLog, serveLog, type Served, type WitnessViews } from "./made-log.ts";

export const START = 1_772_409_600;
export const HOUR = 3600;
export const KEY = "annals_live_key";
const PAGE_LINES = 2;

/** Grows by 100 events in each hour and closes an epoch at its end, which two witnesses see. */
export function hours(log: MadeLog, from: number, to: number): MadeLog {
  for (let hour = from; hour <= to; hour += 1) {
    const time = START + hour * HOUR;
    log.grow(100).close(time, { w1: time + 6, w2: time + 7 });
  }
  return log;
}

export class MadeWatch implements AsyncDisposable {
  /** Of three epochs; a test may put another one in its place. */
  log = hours(new MadeLog(), 1, 3);
  readonly views: WitnessViews = {};
  readonly folder = mkdtempDisposableSync(join(tmpdir(), "annals-watch-"));
  readonly state = join(this.folder.path, "annals.state");
  #served: Served | undefined;

  async start(): Promise<this> {
    this.#served = await serveLog(() => this.log, this.views, PAGE_LINES);
    return this;
  }

  get served(): Served {
    if (this.#served === undefined) throw new Error("the server was not started");
    return this.#served;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served?.[Symbol.asyncDispose]();
    this.folder.remove();
  }

  /** One call, four hours after the start. */
  async watch(options: Partial<WatchOptions> = {}): Promise<WatchReport> {
    return await watchLog({
      url: this.served.url,
      apiKey: KEY,
      policy: POLICY,
      state: this.state,
      now: () => START + 4 * HOUR,
      ...options,
    });
  }

  /** The reason and message of the fault, the name and message of another error, or `valid`. */
  async verdict(options: Partial<WatchOptions> = {}): Promise<string> {
    try {
      await this.watch(options);
      return "valid";
    } catch (error) {
      const { message, name, reason = name } = error as Error & { readonly reason?: string };
      return `${reason}: ${message}`;
    }
  }

  /** The same, and whether the state is another one after the call. */
  async refused(options: Partial<WatchOptions> = {}): Promise<string> {
    const before = readFileSync(this.state);
    const said = await this.verdict(options);
    const isKept = readFileSync(this.state).equals(before);
    const names = readdirSync(this.folder.path).join();
    return isKept && names === "annals.state" ? said : `the state is another one: ${said}`;
  }

  /** The policy with the addresses of these witnesses. */
  withUrls(...names: readonly string[]): Buffer {
    const text = String(POLICY).replace(/^witness (w\d) \S+$/gm, (each, name: string) =>
      names.includes(name) ? `${each} ${this.served.url}/${name}` : each,
    );
    return Buffer.from(text);
  }
}
