// Which bars a reader has picked, with a pointer or with keys, to narrow the list to their time. Made by the
// element. What is picked is whole bars, the last one included.

import type { Bar } from "./bars.ts";

export interface BarPickOptions {
  readonly bars: () => readonly Bar[];
  readonly onChange: () => void;
  /** Called with the time of the picked bars, in milliseconds; the end is exclusive. */
  readonly onPick: (from: number, to: number) => void;
  readonly focus: (place: number) => void;
}

export class BarPick {
  readonly #options: BarPickOptions;
  /** The bar at which the pick began, and the bar that has the focus. */
  #first = 0;
  #active: number | undefined;
  #isDragged = false;

  constructor(options: BarPickOptions) {
    this.#options = options;
  }

  /** The bar that Tab leads to: at first the newest. */
  get active(): number {
    const last = this.#options.bars().length - 1;
    return Math.min(this.#active ?? last, last);
  }

  has(place: number): boolean {
    if (this.#active === undefined) return false;
    const [from, to] = this.#ends;
    return place >= from && place <= to;
  }

  clear(): void {
    this.#active = undefined;
    this.#isDragged = false;
  }

  readonly onKey = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    const last = this.#options.bars().length - 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, this.active - 1),
      ArrowRight: Math.min(last, this.active + 1),
      Home: 0,
      End: last,
    };
    const next = moves[key];
    if (next !== undefined) this.#move(next, shiftKey);
    else if (key === "Enter" || key === " ") this.#pick(this.active);
    else return;
    event.preventDefault();
  };

  readonly onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const chart = event.currentTarget as Element;
    chart.setPointerCapture(event.pointerId);
    this.#isDragged = true;
    this.#first = this.#active = this.#placeOf(event);
    this.#options.onChange();
  };

  readonly onMove = (event: PointerEvent): void => {
    if (!this.#isDragged) return;
    this.#active = this.#placeOf(event);
    this.#options.onChange();
  };

  readonly onUp = (event: PointerEvent): void => {
    if (!this.#isDragged) return;
    this.#isDragged = false;
    this.#pick(this.#placeOf(event));
  };

  readonly onCancel = (): void => {
    this.clear();
    this.#options.onChange();
  };

  get #ends(): readonly [number, number] {
    const active = this.#active ?? 0;
    return [Math.min(this.#first, active), Math.max(this.#first, active)];
  }

  #move(place: number, isExtended: boolean): void {
    if (!isExtended) this.#first = place;
    else if (this.#active === undefined) this.#first = this.active;
    this.#active = place;
    this.#options.onChange();
    this.#options.focus(place);
  }

  #pick(place: number): void {
    if (this.#active === undefined) this.#first = place;
    this.#active = place;
    const [from, to] = this.#ends;
    const bars = this.#options.bars();
    const [first, last] = [bars[from], bars[to]];
    if (first && last) this.#options.onPick(first.from, last.to);
  }

  #placeOf({ clientX, currentTarget }: PointerEvent): number {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    const count = this.#options.bars().length;
    const place = Math.floor(((clientX - left) / width) * count);
    return Math.min(count - 1, Math.max(0, place));
  }
}
