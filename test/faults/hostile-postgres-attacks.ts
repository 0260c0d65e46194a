// What one account can have PostgreSQL do that it is allowed to do: large batches, long reads, and reads that
// it leaves. Called in the process of attack-child.ts.

import { setTimeout as pause } from "node:timers/promises";

export const ATTACK_NAMES = ["batches of 4 MiB", "long reads", "reads that are left"] as const;
export type AttackName = (typeof ATTACK_NAMES)[number];

export interface Target {
  readonly baseUrl: string;
  readonly key: string;
}

/** A valid batch of nearly 4 MiB. */
const BATCH = JSON.stringify({
  events: Array.from({ length: 60 }, () => ({
    action: "a",
    metadata: { text: "x".repeat(60_000) },
  })),
});

/** The paths of requests that take PostgreSQL longest. */
const LONG_READS = [
  "/v1/verify",
  "/v1/events?action=zz.*&actor_id=none&limit=100",
  "/v1/events?occurred_from=2000-01-01T00:00:00Z&target_id=none&limit=100",
];
/** A read is left after this time, in milliseconds. */
const LEFT_AFTER_MS = 50;

interface Attack {
  readonly connections: number;
  readonly request: (n: number) => {
    readonly path: string;
    readonly init?: Omit<RequestInit, "headers">;
  };
}

const ATTACKS: Readonly<Record<AttackName, Attack>> = {
  "batches of 4 MiB": {
    connections: 8,
    request: () => ({
      path: "/v1/events/batch",
      init: { method: "POST", body: BATCH },
    }),
  },
  "long reads": {
    connections: 32,
    request: (n) => ({ path: LONG_READS[n % LONG_READS.length] ?? "" }),
  },
  "reads that are left": {
    connections: 32,
    request: (n) => ({
      path: LONG_READS[n % LONG_READS.length] ?? "",
      init: { signal: AbortSignal.timeout(LEFT_AFTER_MS) },
    }),
  },
};

/** Goes on until the process ends. */
export function attack({ name, baseUrl, key }: Target & { readonly name: AttackName }): void {
  const { connections, request } = ATTACKS[name];
  const goOn = async (n: number): Promise<never> => {
    for (;;) {
      const { path, init } = request(n);
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(baseUrl + path, { ...init, headers }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => {});
      // What is refused at once must not become a load of its own kind.
      if (answer !== undefined && !answer.ok) await pause(LEFT_AFTER_MS);
    }
  };
  for (let n = 0; n < connections; n += 1) void goOn(n);
}
