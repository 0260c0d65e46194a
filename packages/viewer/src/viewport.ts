// Which rows are in sight, which one is active, and how the keys move it. Made by the element. It must never
// move what the reader looks at, unless the reader asked for it.

import type { Feed } from "./feed.ts";

/** Rows beyond those in sight that exist too, so that scrolling shows no gap. */
const OVERSCAN_ROWS = 6;
/** Before the first row is measured, in pixels. */
const ASSUMED_ROW = 52;
const ASSUMED_HEIGHT = 640;

export interface ViewportOptions {
  readonly root: () => ParentNode | undefined;
  readonly feed: () => Feed | undefined;
  readonly onChange: () => void;
  readonly onOpen: (index: number) => void;
}

export class Viewport {
  readonly #options: ViewportOptions;
  /** The rows that exist: from the first to before the last. */
  from = 0;
  to = 0;
  active = 0;
  /** Rows that came above those in sight. */
  newer = 0;
  #shift = 0;
  #rowHeight = ASSUMED_ROW;

  constructor(options: ViewportOptions) {
    this.#options = options;
  }

  reset(): void {
    Object.assign(this, { from: 0, to: 0, active: 0, newer: 0 });
    const grid = this.#grid;
    if (grid) grid.scrollTop = 0;
    this.#options.feed()?.show(0, Math.ceil((grid?.clientHeight ?? ASSUMED_HEIGHT) / ASSUMED_ROW));
  }

  get isAtTop(): boolean {
    return (this.#grid?.scrollTop ?? 0) === 0;
  }

  focus(): void {
    this.#grid?.focus();
  }

  toTop(): void {
    this.active = 0;
    if (this.#grid) this.#grid.scrollTop = 0;
    this.focus();
    this.measure();
  }

  /** Newer rows came: what the reader looks at stays where it is, unless it is the newest. */
  moved(count: number): void {
    this.active += count;
    if (!this.isAtTop) {
      this.#shift += count;
      this.newer += count;
    }
    this.#options.onChange();
  }

  /** After each rendering. Set here and not in the markup: a strict policy refuses attributes of style. */
  place(widths: string): void {
    const grid = this.#grid;
    const rows = this.#find(".rows");
    const body = this.#find(".body");
    if (!grid || !rows || !body) return;
    grid.style.setProperty("--_columns", widths);
    body.style.blockSize = `${(this.#options.feed()?.rows.count ?? 0) * this.#rowHeight}px`;
    rows.style.transform = `translateY(${this.from * this.#rowHeight}px)`;
    if (this.#shift !== 0) {
      grid.scrollTop += this.#shift * this.#rowHeight;
      this.#shift = 0;
    }
    this.measure();
  }

  measure(): void {
    const grid = this.#grid;
    const feed = this.#options.feed();
    if (!grid || !feed) return;
    const height = this.#find(".body .row")?.getBoundingClientRect().height ?? 0;
    const isResized = height > 0 && height !== this.#rowHeight;
    if (isResized) this.#rowHeight = height;
    const top = Math.floor(grid.scrollTop / this.#rowHeight);
    const seen = Math.ceil(grid.clientHeight / this.#rowHeight);
    const from = Math.max(0, top - OVERSCAN_ROWS);
    const to = Math.min(feed.rows.count, top + seen + OVERSCAN_ROWS);
    const isRead = grid.scrollTop === 0 && this.newer > 0;
    if (isRead) this.newer = 0;
    if (isResized || isRead || from !== this.from || to !== this.to) {
      this.from = from;
      this.to = to;
      this.#options.onChange();
    }
    feed.show(from, Math.max(to, seen));
  }

  key(event: KeyboardEvent): void {
    const grid = this.#grid;
    const last = (this.#options.feed()?.rows.count ?? 0) - 1;
    if (!grid || last < 0) return;
    const page = Math.max(1, Math.floor(grid.clientHeight / this.#rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: last,
    };
    const target = moves[event.key];
    if (target !== undefined) this.reveal(Math.min(last, Math.max(0, target)));
    else if (event.key === "Enter" || event.key === " ") this.#options.onOpen(this.active);
    else return;
    event.preventDefault();
  }

  /** Makes the row the active one and scrolls so far that it is in sight. */
  reveal(index: number): void {
    const grid = this.#grid;
    if (!grid) return;
    this.active = index;
    const top = index * this.#rowHeight;
    const head = this.#find(".head")?.offsetHeight ?? 0;
    const bottom = top + this.#rowHeight + head - grid.clientHeight;
    if (grid.scrollTop > top) grid.scrollTop = top;
    else if (grid.scrollTop < bottom) grid.scrollTop = bottom;
    this.measure();
    this.#options.onChange();
  }

  get #grid(): HTMLElement | null {
    return this.#find(".grid");
  }

  #find(selector: string): HTMLElement | null {
    return this.#options.root()?.querySelector<HTMLElement>(selector) ?? null;
  }
}
