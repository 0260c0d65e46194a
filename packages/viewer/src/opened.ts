// The event that the reader or the page has opened: from the rows of the table, or asked for by its id.
// Made by the element. What comes late for an event that was closed meanwhile changes nothing.

import { RequestError, type WidgetClient } from "./client.ts";
import type { Row } from "./event-window.ts";
import type { Feed } from "./feed.ts";
import type { Checker } from "./proof/checker.ts";

export interface Sources {
  readonly feed: Feed;
  readonly client: WidgetClient;
  readonly checker: Checker;
  readonly signal: AbortSignal;
}

export class Opened {
  readonly #onChange: () => void;
  #sources: Sources | undefined;
  #row: Row | undefined;
  id = "";
  error: RequestError | undefined;
  showAll = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The row of the table, if the table has it: only that one knows its link. */
  get row(): Row | undefined {
    const place = this.place;
    const [row] =
      place === undefined ? [] : (this.#sources?.feed.rows.slice(place, place + 1) ?? []);
    return row ?? this.#row;
  }

  get place(): number | undefined {
    return this.id === "" ? undefined : this.#sources?.feed.rows.placeOf(this.id);
  }

  /** After a new start: an event that is open stays open. */
  from(sources: Sources): void {
    this.#sources = sources;
    const { id } = this;
    this.id = "";
    this.show(id);
  }

  showEverything(): void {
    this.showAll = true;
    this.#onChange();
  }

  /** An empty id closes. */
  show(id: string): void {
    if (id === this.id) return;
    Object.assign(this, { id, error: undefined, showAll: false });
    this.#row = undefined;
    this.#row = this.row;
    if (id !== "" && !this.#row) void this.#load(id);
  }

  async #load(id: string): Promise<void> {
    const sources = this.#sources;
    if (!sources) return;
    const { client, checker, signal } = sources;
    try {
      const row: Row = { event: await client.event(id) };
      if (this.id !== id || signal.aborted) return;
      this.#row = row;
      this.#onChange();
      await checker.check([row.event], ([check]) => check && (row.check = check), signal);
    } catch (error) {
      if (this.id !== id || signal.aborted) return;
      this.error = error instanceof RequestError ? error : new RequestError(0, String(error));
    }
    this.#onChange();
  }
}
