// Responses whose delay has ended. Delays that began together end together, and Node.js runs all timers that
// are due in one turn of the event loop: they are sent a few in a turn. Called by error-responder.ts.

/** Each takes some 0.4 ms of CPU, most of it after the callback that sends it. */
const SENT_PER_TURN = 20;

export class DueResponses {
  readonly #due = new Set<() => void>();

  add(send: () => void): void {
    this.#due.add(send);
    if (this.#due.size === 1) setImmediate(this.#sendSome);
  }

  readonly #sendSome = (): void => {
    let sent = 0;
    for (const send of this.#due) {
      if (sent === SENT_PER_TURN) break;
      this.#due.delete(send);
      send();
      sent += 1;
    }
    if (this.#due.size > 0) setImmediate(this.#sendSome);
  };
}
