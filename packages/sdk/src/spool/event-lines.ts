// The line of an event for a file, with the number of its producer if there is one. Called by
// spool-tracker.ts.

import type { Clock } from "../clock.ts";
import { jsonOf } from "../json-text.ts";
import type { NewEvent } from "../types.ts";
import { lineOf } from "./lines.ts";
import type { Producer, ProducerNumber } from "./producer.ts";

interface EventLine {
  readonly line: Buffer;
  /** Called when the event is accepted: only then it has its number. */
  readonly accept: () => void;
}

export class EventLines {
  readonly #clock: Clock;
  readonly #producer: Producer | undefined;
  readonly #onProblem: (error: unknown) => void;

  constructor(clock: Clock, producer: Producer | undefined, onProblem: (error: unknown) => void) {
    this.#clock = clock;
    this.#producer = producer;
    this.#onProblem = onProblem;
  }

  /** Undefined if the event is no JSON. */
  of(event: NewEvent): EventLine | undefined {
    const producer = this.#next();
    const occurredAt = event.occurred_at ?? new Date(this.#clock.now()).toISOString();
    const context = producer && { context: { ...event.context, producer } };
    try {
      const line = lineOf(jsonOf({ ...event, occurred_at: occurredAt, ...context }));
      return { line, accept: () => this.#accept(producer) };
    } catch {
      return undefined;
    }
  }

  /** Undefined without a producer, and if the disk cannot keep its numbers. */
  #next(): ProducerNumber | undefined {
    try {
      return this.#producer?.next();
    } catch (error) {
      this.#onProblem(error);
      return undefined;
    }
  }

  #accept(number: ProducerNumber | undefined): void {
    try {
      if (number) this.#producer?.accept(number);
    } catch (error) {
      this.#onProblem(error);
    }
  }
}
