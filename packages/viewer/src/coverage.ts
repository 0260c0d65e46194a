// How far the log of evidence covers the account's events, as the service says it. Made by the element for
// each feed. It asks only for what it does not know: an event that is covered stays covered. It must never
// fail the list: without an answer nothing is shown.

import type { Covered, WidgetClient, WidgetLog } from "./client.ts";

export class Coverage {
  readonly #client: WidgetClient;
  readonly #onChange: () => void;
  #log: WidgetLog | undefined;
  #isAsking = false;

  constructor(client: WidgetClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** The checkpoint that covers the event, null if none does yet; undefined without a log. */
  of(sequenceNumber: number): Covered | null | undefined {
    if (typeof this.#log?.log_origin !== "string") return undefined;
    const { covered } = this.#log;
    return covered !== null && covered.sequence_number >= sequenceNumber ? covered : null;
  }

  /** Asks the service unless the event is known to be covered. */
  ask(sequenceNumber: number | undefined): void {
    if (sequenceNumber === undefined || this.#isAsking || this.of(sequenceNumber)) return;
    this.#isAsking = true;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    try {
      this.#log = await this.#client.log();
      this.#onChange();
    } catch {
      // What is known stays, and the next call asks again.
    } finally {
      this.#isAsking = false;
    }
  }
}
