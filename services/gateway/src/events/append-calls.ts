// The calls that carry appends to the ledger. All appends of an account go to one ledger, as long as it is
// connected, because that ledger has its head cached. Groups of several accounts that arrive in one turn of
// the event loop, and go to the same ledger, share a call, whose outcomes are streamed. A large group, or one
// that arrives with few others, has a call of its own. Called by event-appends.ts. No account must wait for
// the outcome of another, and an append that may have been stored must never be sent again.

import { activeSpan, inBatch, inTrace, type Span } from "@annals/chassis";
import { type Affinity, AFFINITY_HEADER, CALL_TIMEOUT_MS } from "@annals/rpc";
import {
  type AppendOutcome,
  AppendOutcomeSchema,
  type AppendSchema,
  type LedgerService,
} from "@annals/proto/ledger";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";

/** Maximum bytes of a call for several accounts, so that a small group does not wait for a large one. */
const MAX_SHARED_BYTES = 64 * 1024;
/** Groups that share a call, at least: a stream costs as much CPU time as four unary calls. */
const MIN_SHARED_GROUPS = 4;

/** A group with less time left has already waited, so it has a call of its own, which ends in time. */
const MIN_SHARED_TIME_LEFT_MS = CALL_TIMEOUT_MS - 1_000;

/** Used if the ledger returned no outcome for an append: event-appends.ts turns it into an error. */
const NO_OUTCOME = create(AppendOutcomeSchema);

export type AppendMessage = MessageInitShape<typeof AppendSchema>;

/** An append, and the statement that admits it. */
export interface AdmittedAppend {
  readonly append: AppendMessage;
  readonly statement: string;
}

export type Ledger = Pick<Client<typeof LedgerService>, "appendEvents" | "createEvents">;

/** An append, and the promise of its outcome. */
interface Sent extends AdmittedAppend, PromiseWithResolvers<AppendOutcome> {}

/** The total bytes of the appends of one account, and the time that is left for them. */
interface Extent {
  readonly bytes: number;
  readonly timeoutMs: number;
}

/** Which ledger the appends of an account go to. */
export type Ledgers = Pick<Affinity, "addressFor">;

/** The appends of one account. */
interface Group extends Extent {
  readonly accountId: string;
  /** Parent span of the group's call. */
  readonly span: Span | undefined;
  readonly sent: readonly Sent[];
}

export class AppendCalls {
  readonly #ledger: Ledger;
  readonly #ledgers: Ledgers;
  #gathered: Group[] = [];

  constructor(ledger: Ledger, ledgers: Ledgers) {
    this.#ledger = ledger;
    this.#ledgers = ledgers;
  }

  /** Sends the appends of one account, and resolves to the outcome of each, in order. */
  send(
    accountId: string,
    appends: readonly AdmittedAppend[],
    extent: Extent,
  ): Promise<readonly PromiseSettledResult<AppendOutcome>[]> {
    const sent = appends.map((append) => ({
      ...append,
      ...Promise.withResolvers<AppendOutcome>(),
    }));
    const group = { accountId, span: activeSpan(), sent, ...extent };
    if (extent.bytes > MAX_SHARED_BYTES || extent.timeoutMs < MIN_SHARED_TIME_LEFT_MS)
      this.#createEvents([group]);
    else if (this.#gathered.push(group) === 1) setImmediate(() => this.#sendGathered());
    return Promise.allSettled(sent.map(({ promise }) => promise));
  }

  #sendGathered(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    const ofLedger = Map.groupBy(gathered, (group) => this.#ledgers.addressFor(group.accountId));
    for (const groups of ofLedger.values()) this.#sendPacked(groups);
  }

  /** Sends groups that go to the same ledger, in calls of a bounded number of bytes. */
  #sendPacked(given: readonly Group[]): void {
    let [groups, bytes]: [Group[], number] = [[], 0];
    for (const group of given) {
      if (groups.length > 0 && bytes + group.bytes > MAX_SHARED_BYTES) {
        this.#sendTogether(groups);
        [groups, bytes] = [[], 0];
      }
      groups.push(group);
      bytes += group.bytes;
    }
    this.#sendTogether(groups);
  }

  #sendTogether(groups: readonly Group[]): void {
    if (groups.length < MIN_SHARED_GROUPS) this.#createEvents(groups);
    else {
      const spans = groups.map(({ span }) => span);
      void inBatch("batch append-events", spans, () => this.#appendEvents(groups));
    }
  }

  /** Makes one call for each group. */
  #createEvents(groups: readonly Group[]): void {
    for (const { accountId, sent, span, timeoutMs } of groups) {
      const options = { timeoutMs, ...this.#affinityTo(accountId) };
      inTrace(span, () => this.#ledger.createEvents(requestOf(sent), options)).then(
        ({ outcomes }) => sent.forEach(({ resolve }, at) => resolve(outcomes[at] ?? NO_OUTCOME)),
        (error: unknown) => rejectOthers(sent, error),
      );
    }
  }

  /** Leaves the header out if there is only one ledger: it costs some microseconds. */
  #affinityTo(accountId: string): { readonly headers?: Readonly<Record<string, string>> } {
    if (this.#ledgers.addressFor(accountId) === undefined) return {};
    return { headers: { [AFFINITY_HEADER]: accountId } };
  }

  async #appendEvents(groups: readonly Group[]): Promise<void> {
    const sent = groups.flatMap((group) => group.sent);
    // All groups of the call go to the same ledger.
    const options = this.#affinityTo(groups[0]?.accountId ?? "");
    try {
      for await (const { outcomes } of this.#ledger.appendEvents(requestOf(sent), options)) {
        for (const { index, outcome } of outcomes) sent[index]?.resolve(outcome ?? NO_OUTCOME);
      }
      // An append whose outcome has arrived keeps it.
      for (const { resolve } of sent) resolve(NO_OUTCOME);
    } catch (error) {
      rejectOthers(sent, error);
    }
  }
}

/** Names each statement once: appends with the same key in a call nearly always have the same statement. */
function requestOf(sent: readonly Sent[]): { appends: AppendMessage[]; admissions: string[] } {
  const places = new Map<string, number>();
  const appends = sent.map(({ append, statement }) => {
    const admission = places.get(statement) ?? places.size;
    places.set(statement, admission);
    return { ...append, admission };
  });
  return { appends, admissions: [...places.keys()] };
}

/** Rejects all appends but those whose outcome has arrived. */
function rejectOthers(sent: readonly Sent[], error: unknown): void {
  for (const { reject } of sent) reject(error);
}
