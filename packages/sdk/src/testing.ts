// `@annals/sdk/testing`: for the tests of an application. `recorder()` takes events in place of a client, and
// sends nothing.

import type { EventTracker } from "./batch.ts";
import { withContext } from "./event-context.ts";
import { jsonOf } from "./json-text.ts";
import type { NewEvent } from "./types.ts";

/** Has `track()` and the methods around it. */
export class Recorder implements EventTracker {
  /** What was tracked, as it would be sent, without `occurred_at` where the caller set none. */
  readonly events: NewEvent[] = [];

  get actions(): string[] {
    return this.events.map(({ action }) => action);
  }

  get buffered(): number {
    return 0;
  }

  /** Throws TypeError for what is no JSON, so that a test finds it. */
  track(event: NewEvent): boolean {
    this.events.push(JSON.parse(jsonOf(withContext(event))) as NewEvent);
    return true;
  }

  async ready(): Promise<void> {}

  async flush(): Promise<void> {}

  async close(): Promise<void> {}
}

export function recorder(): Recorder {
  return new Recorder();
}
