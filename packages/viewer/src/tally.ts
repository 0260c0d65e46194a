// The counts of what is shown, and the bars that a reader picks of them. Made by the element once; it counts
// anew for each set of filters and each zone.

import { BarPick } from "./bar-pick.ts";
import { Counts, type CountsOptions, type Refused } from "./counts.ts";

export interface TallyOptions {
  readonly root: () => ParentNode;
  readonly onChange: () => void;
  /** Called with the time of picked bars, in milliseconds; the end is exclusive. */
  readonly onPick: (from: number, to: number) => void;
}

export class Tally {
  readonly #options: TallyOptions;
  readonly #refused: Refused = { all: false, failures: false, facets: false };
  readonly pick: BarPick;
  counts: Counts | undefined;

  constructor(options: TallyOptions) {
    this.#options = options;
    this.pick = new BarPick({
      bars: () => this.counts?.bars?.bars ?? [],
      onChange: options.onChange,
      onPick: options.onPick,
      focus: (place) => options.root().querySelector<SVGElement>(`#bar-${place}`)?.focus(),
    });
  }

  /** Forgets what was counted. */
  restart(counted: Omit<CountsOptions, "refused" | "onChange">): void {
    this.pick.clear();
    const { onChange } = this.#options;
    this.counts = new Counts({ ...counted, refused: this.#refused, onChange });
  }

  start(): void {
    this.counts?.start();
  }
}
