// A model of the table of deliveries and of the attempts in flight, which tells a delivery machine what
// happens and checks after each step that no bound is exceeded. Imported by tests only.

import assert from "node:assert/strict";
import { DeliveryMachine, type Grant } from "../deliveries/rules/delivery-machine.ts";
import type { Limits } from "../deliveries/rules/delivery-states.ts";

export const ACCOUNTS = 4;
const WEBHOOKS_EACH = 3;
const HOSTS = 3;
export const WEBHOOKS = ACCOUNTS * WEBHOOKS_EACH;

interface Delivery {
  readonly accountId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly dueAt: string;
}

/** The table, and the attempts in flight. */
export class DeliveryWorld {
  readonly machine: DeliveryMachine;
  readonly limits: Limits;
  /** Due and not leased, in the order in which they were due. */
  readonly queues = new Map<string, Delivery[]>();
  readonly inFlight: Delivery[] = [];
  now = 0;
  #made = 0;

  constructor(limits: Limits) {
    this.limits = limits;
    this.machine = new DeliveryMachine(limits);
  }

  produce(n: number, count: number, isNotified: boolean): void {
    const webhookId = `w${n % WEBHOOKS}`;
    const accountId = `a${n % ACCOUNTS}`;
    const url = `https://h${(n % WEBHOOKS) % HOSTS}.example.com/`;
    const queue = this.queues.get(webhookId) ?? [];
    this.queues.set(webhookId, queue);
    for (let made = 0; made < count; made++) {
      queue.push({ accountId, webhookId, url, dueAt: String((this.#made += 1)).padStart(9, "0") });
    }
    if (isNotified) this.machine.notified(accountId, [webhookId]);
  }

  scan(): void {
    for (const [first] of this.queues.values()) {
      if (first) this.machine.found(first.accountId, first.webhookId, first.dueAt);
    }
  }

  /** `meanwhile` happens between the claim and its answer. */
  claim(fails: boolean, meanwhile = () => {}): Grant[] {
    const before = this.inFlight.length;
    const able = this.#able();
    const grants = this.machine.plan(this.now);
    this.#checkPlan(grants, before, able);
    const rows = fails ? [] : grants.flatMap((grant) => this.#take(grant));
    meanwhile();
    if (fails) this.machine.failed(grants);
    else {
      const { begun, refused } = this.machine.claimed(grants, rows, this.now);
      this.inFlight.push(...begun);
      for (const { row } of refused) this.#putBack(row);
    }
    this.check();
    return grants;
  }

  end(n: number, how: "ended" | "released" | "unread"): void {
    const [delivery] = this.inFlight.splice(n % (this.inFlight.length || 1), 1);
    if (!delivery) return;
    this.machine.states.read(delivery.accountId, how !== "unread", this.now);
    this.machine.ended(delivery);
    if (how !== "ended") this.#putBack(delivery);
    if (how === "released") this.machine.released(delivery);
    this.check();
  }

  check(): void {
    const { limits, machine } = this;
    assert.equal(machine.states.inFlight, this.inFlight.length);
    assert(this.inFlight.length <= limits.maxInFlight);
    this.#atMost("webhookId", limits.maxInFlightPerEndpoint);
    this.#atMost("accountId", limits.maxInFlightPerAccount);
    this.#atMost("url", limits.maxInFlightPerHost);
    for (const id of this.queues.keys()) {
      const inFlight = this.inFlight.filter(({ webhookId }) => webhookId === id).length;
      const state = machine.states.stateOf(id);
      if (state === "full") assert(inFlight > 0);
      assert.notEqual(state, "claiming");
    }
  }

  /** Everything that ends, ends; and the scan goes round. */
  drain(): void {
    const steps = 20 * (this.#made + 10);
    for (let step = 0; step < steps && this.left() > 0; step++) {
      this.now += 1_000;
      this.scan();
      this.claim(false);
      while (this.inFlight.length > 0) this.end(0, "ended");
    }
  }

  left(): number {
    return this.inFlight.length + [...this.queues.values()].flat().length;
  }

  /** Webhooks that a plan may grant slots to. The plan itself ends waits for a host that took too long. */
  #able(): number {
    const states = [...this.queues.keys()].map((id) => this.machine.states.stateOf(id));
    return states.filter((state) => state === "due" || state === "crowded").length;
  }

  #checkPlan(grants: readonly Grant[], before: number, able: number): void {
    const planned = grants.reduce((sum, { slots }) => sum + slots, 0);
    const free = this.limits.maxInFlight - before;
    assert(planned <= Math.max(0, free));
    assert(grants.length <= able);
    assert.equal(new Set(grants.map(({ webhookId }) => webhookId)).size, grants.length);
    const waiting = [...this.queues.entries()].filter(([id, [first]]) => {
      const account = this.machine.states.stateOfAccount(first?.accountId ?? "");
      return this.machine.states.stateOf(id) === "due" && account === "due";
    });
    if (grants.some(({ slots }) => slots > 1)) {
      assert(planned + waiting.length <= free);
    }
    for (const { accountId, webhookId } of grants) {
      assert.equal(this.machine.states.stateOf(webhookId), "claiming");
      if (this.machine.states.stateOfAccount(accountId) !== "paused") continue;
      const ofAccount = grants.filter((grant) => grant.accountId === accountId);
      assert.deepEqual(
        ofAccount.map(({ slots }) => slots),
        [1],
      );
    }
  }

  /** As claim-deliveries.ts: due since then, at most so many. */
  #take({ since, slots, webhookId }: Grant): Delivery[] {
    const queue = this.queues.get(webhookId) ?? [];
    const first = queue.findIndex(({ dueAt }) => since === undefined || dueAt >= since);
    return first < 0 ? [] : queue.splice(first, slots);
  }

  #putBack(delivery: Delivery): void {
    const queue = [...(this.queues.get(delivery.webhookId) ?? []), delivery];
    this.queues.set(
      delivery.webhookId,
      queue.toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1)),
    );
  }

  #atMost(member: "webhookId" | "accountId" | "url", most: number): void {
    const counts = Object.groupBy(this.inFlight, (delivery) => delivery[member]);
    for (const all of Object.values(counts)) assert((all?.length ?? 0) <= most);
  }
}
