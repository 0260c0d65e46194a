// Logins that are refused: what BeginLogin and FinishLogin answer, what the log and the metric say, and an
// audit entry a minute with their number. A flood of them must not become a flood of entries.

import { type Counter, type Logger, type Loop, startLoop } from "@annals/chassis";
import { type Clock, SYSTEM_ACCOUNT_ID } from "@annals/contract";
import type { AuditEntryOf, Pool } from "@annals/postgres";
import { LoginFault } from "@annals/proto/keys";
import { AUDIT } from "../store/audit.ts";
import { LoginFailure } from "./rules/login-failure.ts";

const INTERVAL_MS = 60_000;
/** The pairs of provider and fault that an entry names: it has a bound in bytes. */
const MAX_PAIRS = 10;

const FAULTS: Readonly<Record<LoginFailure["fault"], LoginFault>> = {
  state: LoginFault.STATE,
  unreachable: LoginFault.UNREACHABLE,
  refused: LoginFault.REFUSED,
  token: LoginFault.TOKEN,
  groups: LoginFault.GROUPS,
  blocked: LoginFault.BLOCKED,
};

interface Deps {
  readonly clock: Clock;
  readonly database: Pool;
  readonly log: Logger;
  readonly logins: Counter<"outcome">;
}

interface Counted {
  readonly provider: string;
  readonly fault: string;
  count: number;
}

export class RefusedLogins {
  readonly #deps: Deps;
  #counted = new Map<string, Counted>();
  #since: string;
  /** An entry that could not be stored yet. */
  #waiting: AuditEntryOf<"keys"> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#since = deps.clock.nowText();
  }

  /**
   * The answer to a login that is refused: the person reads a text for the fault, and the id of the request,
   * by which the operator finds the reason in the log. Throws whatever is no {@link LoginFailure}.
   */
  answer(
    error: unknown,
    { provider, requestId }: { readonly provider: string; readonly requestId: string | undefined },
  ): { readonly fault: LoginFault; readonly detail: string } {
    if (!(error instanceof LoginFailure)) throw error;
    const { detail, fault, message: reason } = error;
    const { log, logins } = this.#deps;
    log.warn({ provider, fault, detail, reason, request_id: requestId }, "login refused");
    logins.inc({ outcome: fault });
    const pair = `${provider} ${fault}`;
    const known = this.#counted.get(pair);
    if (known) known.count += 1;
    else this.#counted.set(pair, { provider, fault, count: 1 });
    return { fault: FAULTS[fault], detail };
  }

  /** Stores what was counted since the last entry. After a failure the next call stores it. */
  async write(): Promise<void> {
    const entry = (this.#waiting ??= this.#take());
    if (entry === undefined) return;
    await this.#deps.database.transaction((transaction) => AUDIT.add(transaction, entry));
    this.#waiting = undefined;
  }

  #take(): AuditEntryOf<"keys"> | undefined {
    const counts = [...this.#counted.values()].toSorted((a, b) => b.count - a.count);
    const [occurredAt, since] = [this.#deps.clock.nowText(), this.#since];
    this.#counted = new Map();
    this.#since = occurredAt;
    if (counts.length === 0) return undefined;
    const further = counts.slice(MAX_PAIRS).reduce((sum, { count }) => sum + count, 0);
    return {
      accountId: SYSTEM_ACCOUNT_ID,
      action: "annals.session.refused",
      actor: { type: "service", id: "keys" },
      target: { type: "service", id: "keys" },
      metadata: { counts: counts.slice(0, MAX_PAIRS), further, since },
      occurredAt,
    };
  }
}

/** Stores an entry each minute, and a last one when it is stopped. */
export function startRefusedLogins(
  refused: RefusedLogins,
  { failures, log }: { readonly log: Logger; readonly failures: Counter<"worker"> },
): Pick<Loop, "stop"> {
  const loop = startLoop({
    name: "refused_logins",
    log,
    failures,
    delayMs: INTERVAL_MS,
    initialDelayMs: INTERVAL_MS,
    run: () => refused.write(),
  });
  return {
    stop: async () => {
      await loop.stop();
      await refused.write();
    },
  };
}
