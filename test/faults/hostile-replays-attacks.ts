// What one account can ask of replays: many at once, each of large events. Called in the process of
// attack-child.ts.

import { setTimeout as pause } from "node:timers/promises";

export interface ReplayTarget {
  readonly baseUrl: string;
  readonly key: string;
  readonly webhookId: string;
  readonly events: number;
}

/** Requests at once. */
const CONNECTIONS = 100;
/** What is refused at once must not become a load of its own kind. */
const PAUSE_MS = 50;

/** Goes on until the process ends. */
export function attack({ baseUrl, events, key, webhookId }: ReplayTarget): void {
  const request = {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ from_sequence_number: 1, to_sequence_number: events }),
  };
  const goOn = async (): Promise<never> => {
    for (;;) {
      const url = `${baseUrl}/v1/webhooks/${webhookId}/replay`;
      const answer = await fetch(url, request).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => {});
      if (answer?.status !== 201) await pause(PAUSE_MS);
    }
  };
  for (let n = 0; n < CONNECTIONS; n += 1) void goOn();
}
