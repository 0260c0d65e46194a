// Clients that ask again and again for lists that find nothing. Called in the process of attack-child.ts.

import { setTimeout as pause } from "node:timers/promises";

export interface Target {
  readonly baseUrl: string;
  /** One for each connection: an API key, or a widget token. */
  readonly keys: readonly string[];
  readonly path: string;
  /** After which the client disconnects and asks again; undefined: it waits for its answer. */
  readonly leavesAfterMs?: number;
}

export function attack({ baseUrl, keys, path, leavesAfterMs }: Target): void {
  for (const key of keys) void again(`${baseUrl}${path}`, key, leavesAfterMs);
}

async function again(url: string, key: string, leavesAfterMs?: number): Promise<never> {
  for (;;) {
    const signal = leavesAfterMs === undefined ? null : AbortSignal.timeout(leavesAfterMs);
    await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal })
      .then(async (answer) => {
        await answer.text();
        // A token has 120 requests a minute: the attacker has more of them.
        if (answer.status === 429) await pause(50);
      })
      .catch(() => pause(1));
  }
}
