// The connections to hosts that users name, and how long an idle one is kept. Called by sender.ts and by the
// receivers of sinks. It must never keep a connection as long as a server might: what is sent on one that the
// server has just closed is lost.

import type { SecureContext } from "node:tls";
import { CountingAgent } from "./counting-agent.ts";

/** Idle connections to one host, and for how long: less than the 5 s after which many servers close them. */
const MAX_IDLE_PER_HOST = 20;
const MAX_IDLE_MS = 4_000;

export class Connections {
  /** Reuses connections. */
  readonly agent: CountingAgent;
  /** Opens a connection for one request. */
  readonly freshAgent: CountingAgent;

  constructor(secureContext: SecureContext) {
    this.agent = new CountingAgent({
      keepAlive: true,
      maxFreeSockets: MAX_IDLE_PER_HOST,
      timeout: MAX_IDLE_MS,
      scheduling: "lifo",
      secureContext,
    });
    this.freshAgent = new CountingAgent({ keepAlive: false, secureContext });
  }

  close(): void {
    this.agent.destroy();
    this.freshAgent.destroy();
  }
}
