// Load that does not wait: so many events a second, answered or not, from a process of its own. Called by
// overload.test.ts. It must never take an answer that did not come for one that did.

import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { Outcome, SentAppend, StoredAnswer } from "../system/load.ts";

export interface Offer {
  readonly baseUrl: string;
  readonly key: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** Kept alive, accepted before. Each has one request in flight; where all have, the rest is held back. */
  readonly connections: number;
  /** Begins every marker. */
  readonly mark: string;
}

/** One request and what came of it: one of the last three. */
export interface Taken {
  readonly n: number;
  readonly tookMs: number;
  readonly stored?: StoredAnswer;
  readonly refused?: {
    readonly status: number;
    readonly retryAfter: string | undefined;
    readonly body: unknown;
  };
  readonly unanswered?: string;
}

export interface Offered {
  readonly taken: readonly Taken[];
  /** Requests that were due and not sent. */
  readonly heldBack: number;
  readonly sentForMs: number;
}

const CHILD = fileURLToPath(new URL("./overload-child.ts", import.meta.url));

/** Resolves when every request was answered or lost, to what the auditor needs and what is to be judged. */
export async function offer(what: Omit<Offer, "mark">) {
  const mark = randomBytes(4).toString("hex");
  const child = fork(CHILD, { execArgv: ["-C", "source"], serialization: "advanced" });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`the load generator ended with ${String(code)}`);
  });
  preferred(child.pid);
  child.send({ ...what, mark } satisfies Offer);
  const [offered] = (await Promise.race([once(child, "message"), failed])) as [Offered];
  failed.catch(() => {});
  child.disconnect();
  return { ...offered, appends: offered.taken.map((one) => appendOf(one, mark)) };
}

/** A generator that waits for the CPU offers too little load. Where it may not be preferred, it is not. */
function preferred(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Only root may.
  }
}

function appendOf({ n, tookMs, stored, refused, unanswered }: Taken, mark: string): SentAppend {
  const outcome: Outcome = {
    sentAt: 0,
    tookMs,
    ...(stored && { stored }),
    ...(refused && {
      refused: {
        status: refused.status,
        headers: refused.retryAfter === undefined ? {} : { "retry-after": refused.retryAfter },
        text: "",
        body: refused.body,
      },
    }),
    ...(unanswered !== undefined && { unanswered }),
  };
  return { n, marker: `${mark}-${n}`, idempotencyKey: undefined, outcomes: [outcome] };
}
