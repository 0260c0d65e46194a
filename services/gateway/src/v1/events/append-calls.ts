// The calls that carry appends to the ledger. All appends of an account go to one ledger, as long as it is
// connected: there its head is cached. Groups of several accounts that come in one turn of the event loop,
// and go to the same ledger, share a call, whose outcomes are streamed. A group that comes with few others,
// or is large, has a call of its own. Called by event-appends.ts. No account must wait for the outcome of
// another, and an append that may have been stored must never be sent again.

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

/** Bytes of a call for several accounts: a small group does not wait until a large one is sent. */
const MAX_SHARED_BYTES = 64 * 1024;
/** A stream costs as much CPU time as four unary calls (docs/performance). */
const MIN_SHARED_GROUPS = 4;

/** A group with less time left has waited: it has a call of its own, which ends in time. */
const MIN_SHARED_TIME_LEFT_MS = CALL_TIMEOUT_MS - 1_000;

/** Where the ledger answered an append without an outcome: event-appends.ts makes it an error. */
const NO_OUTCOME = create(AppendOutcomeSchema);

export type AppendMessage = MessageInitShape<typeof AppendSchema>;

/** An append, and the statement that it was admitted by. */
export interface AdmittedAppend {
  readonly append: AppendMessage;
  readonly statement: string;
}

export type Ledger = Pick<Client<typeof LedgerService>, "appendEvents" | "createEvents">;

/** An append, and the promise of its outcome. */
interface Sent extends AdmittedAppend, PromiseWithResolvers<AppendOutcome> {}

/** What the appends of one account weigh together, and the time that is left for them. */
interface Extent {
  readonly bytes: number;
  readonly timeoutMs: number;
}

/** Which ledger the appends of an account go to. */
export type Ledgers = Pick<Affinity, "addressFor">;

/** The appends of one account. */
interface Group extends Extent {
  readonly accountId: string;
  /** What the group's call is a part of. */
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

  /** Groups that go to the same ledger, in calls of a bounded number of bytes. */
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

  /** One call for each group. */
  #createEvents(groups: readonly Group[]): void {
    for (const { accountId, sent, span, timeoutMs } of groups) {
      const options = { timeoutMs, ...this.#affinityTo(accountId) };
      inTrace(span, () => this.#ledger.createEvents(requestOf(sent), options)).then(
        ({ outcomes }) => sent.forEach(({ resolve }, at) => resolve(outcomes[at] ?? NO_OUTCOME)),
        (error: unknown) => rejectOthers(sent, error),
      );
    }
  }

  /** One ledger needs no choice, and a header costs some microseconds. */
  #affinityTo(accountId: string): { readonly headers?: Readonly<Record<string, string>> } {
    if (this.#ledgers.addressFor(accountId) === undefined) return {};
    return { headers: { [AFFINITY_HEADER]: accountId } };
  }

  async #appendEvents(groups: readonly Group[]): Promise<void> {
    const sent = groups.flatMap((group) => group.sent);
    // The ledger of one is that of all.
    const options = this.#affinityTo(groups[0]?.accountId ?? "");
    try {
      for await (const { outcomes } of this.#ledger.appendEvents(requestOf(sent), options)) {
        for (const { index, outcome } of outcomes) sent[index]?.resolve(outcome ?? NO_OUTCOME);
      }
      // Those whose outcome has arrived keep it.
      for (const { resolve } of sent) resolve(NO_OUTCOME);
    } catch (error) {
      rejectOthers(sent, error);
    }
  }
}

/** Each statement once: appends with one key in one call nearly always have the same. */
function requestOf(sent: readonly Sent[]): { appends: AppendMessage[]; admissions: string[] } {
  const places = new Map<string, number>();
  const appends = sent.map(({ append, statement }) => {
    const admission = places.get(statement) ?? places.size;
    places.set(statement, admission);
    return { ...append, admission };
  });
  return { appends, admissions: [...places.keys()] };
}

/** Those whose outcome has arrived keep it. */
function rejectOthers(sent: readonly Sent[], error: unknown): void {
  for (const { reject } of sent) reject(error);
}
