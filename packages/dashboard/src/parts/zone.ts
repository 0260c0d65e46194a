// The zone of every time on the screens: the reader's, or UTC. Kept under the name that the viewer uses, so
// that both agree. Chosen in the header, or in the viewer.

import { html, type TemplateResult } from "lit/html.js";
import { showTimesIn } from "./time.ts";

export type Zone = "local" | "utc";

const KEY = "annals-viewer-zone";

export class Zones {
  readonly #notes: Storage;
  #zone: Zone;

  constructor(notes: Storage) {
    this.#notes = notes;
    this.#zone = keptIn(notes);
    showTimesIn(this.#zone);
  }

  get zone(): Zone {
    return this.#zone;
  }

  choose(zone: Zone): void {
    this.#zone = zone;
    showTimesIn(zone);
    try {
      this.#notes.setItem(KEY, zone);
    } catch {
      // The browser keeps nothing: the choice lasts as long as the page.
    }
  }

  view(onChange: (zone: Zone) => void): TemplateResult {
    const change = (event: Event) =>
      onChange((event.currentTarget as HTMLSelectElement).value === "utc" ? "utc" : "local");
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    return html`<select class="zone" aria-label="Time zone" @change=${change}>
      <option value="local" .selected=${this.#zone === "local"}>Local (${timeZone})</option>
      <option value="utc" .selected=${this.#zone === "utc"}>UTC</option>
    </select>`;
  }
}

function keptIn(notes: Storage): Zone {
  try {
    return notes.getItem(KEY) === "utc" ? "utc" : "local";
  } catch {
    return "local";
  }
}
