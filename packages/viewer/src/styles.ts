// The styles of the viewer, as one sheet that the element adopts: no policy of a page refuses it. Every
// colour and size of `--annals-*` may be set by the page, and directions are logical, so it reads from right
// to left too.

import { css } from "lit";

export const styles = css`
  :host {
    --_background: var(--annals-background, light-dark(#ffffff, #15181d));
    --_surface: var(--annals-surface, light-dark(#f4f5f7, #1e232b));
    --_text: var(--annals-text, light-dark(#1a1d21, #e8eaed));
    --_muted: var(--annals-muted, light-dark(#565d66, #a6aebb));
    --_border: var(--annals-border, light-dark(#d4d8de, #3a424e));
    --_control: var(--annals-control, light-dark(#767d87, #7d8795));
    --_accent: var(--annals-accent, light-dark(#1a56c4, #8ab4ff));
    --_verified: var(--annals-verified, light-dark(#146c2e, #7fd99a));
    --_differs: var(--annals-differs, light-dark(#b3151b, #ff9b96));
    --_hidden: var(--annals-hidden, light-dark(#6b4e00, #f0c766));
    --_radius: var(--annals-radius, 6px);
    --_row: var(--annals-row-height, 3.25rem);
    color-scheme: light dark;
    display: flex;
    flex-direction: column;
    position: relative;
    block-size: max(24rem, 100dvh - 12rem);
    min-block-size: 16rem;
    container: viewer / inline-size;
    box-sizing: border-box;
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    overflow: hidden;
    background: var(--_background);
    color: var(--_text);
    font: var(--annals-font, 0.875rem/1.4 system-ui, sans-serif);
  }
  @media (width < 48rem) {
    :host {
      block-size: max(38rem, 100dvh - 12rem);
    }
  }
  :host([hidden]) {
    display: none;
  }
  :host([theme="light"]) {
    color-scheme: light;
  }
  :host([theme="dark"]) {
    color-scheme: dark;
  }
  *,
  ::before {
    box-sizing: border-box;
  }
  .frame {
    display: contents;
  }
  button,
  input,
  select {
    font: inherit;
    color: inherit;
    background: var(--_background);
    border: 1px solid var(--_control);
    border-radius: var(--_radius);
    padding: 0.3em 0.7em;
    min-block-size: 2.25em;
  }
  button {
    cursor: pointer;
  }
  button:disabled {
    cursor: default;
    opacity: 0.5;
  }
  select {
    min-inline-size: 0;
    text-overflow: ellipsis;
  }
  button[aria-pressed="true"],
  button[type="submit"] {
    border-color: var(--_accent);
    color: var(--_accent);
  }
  button[aria-pressed="true"]::before {
    content: "✓ " / "";
  }
  :focus-visible,
  .grid:focus-visible .active {
    outline: 2px solid var(--_accent);
    outline-offset: -2px;
  }
  .bar,
  .query,
  .times,
  .chips,
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
    padding: 0.5rem 0.75rem;
  }
  .bar {
    border-block-end: 1px solid var(--_border);
  }
  .grow {
    flex: 1 1 12rem;
  }
  .muted {
    color: var(--_muted);
  }
  .claim summary {
    cursor: pointer;
    inline-size: fit-content;
  }
  .claim p {
    margin-block: 0.4rem 0;
    max-inline-size: 40rem;
  }
  .main {
    flex: 1;
    min-block-size: 0;
    display: flex;
  }
  .list {
    container: list / inline-size;
    flex: 1;
    min-inline-size: 0;
    position: relative;
    display: flex;
    flex-direction: column;
  }
  .is-empty .grid {
    flex: 0 0 2.1rem;
  }
  .is-empty .notice {
    flex: 1;
    align-content: center;
  }
  .grid {
    flex: 1;
    overflow: auto;
    overflow-anchor: none;
    contain: strict;
  }
  .row {
    display: grid;
    grid-template-columns: 13.5rem 1.2fr 1fr 1fr 8rem 8.5rem;
    gap: 0 0.75rem;
    align-items: center;
    padding-inline: 0.75rem;
    position: relative;
    block-size: var(--_row);
    border-block-end: 1px solid var(--_border);
    overflow: hidden;
  }
  .head {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    background: var(--_surface);
    color: var(--_muted);
    font-weight: 600;
  }
  .head .row {
    block-size: 2rem;
  }
  .body {
    position: relative;
  }
  .rows {
    position: absolute;
    inset-inline: 0;
    inset-block-start: 0;
  }
  .body .row {
    cursor: pointer;
  }
  .body .row:hover {
    background: var(--_surface);
  }
  .body .row[aria-selected="true"] {
    background: color-mix(in srgb, var(--_accent) 14%, var(--_background));
  }
  .body .row[aria-selected="true"]::before {
    content: "";
    position: absolute;
    inset-block: 0;
    inset-inline-start: 0;
    inline-size: 0.375rem;
    background: var(--_accent);
  }
  .cell {
    min-inline-size: 0;
    overflow: hidden;
    display: grid;
  }
  .cell > * {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .action {
    font-weight: 600;
  }
  .badge,
  .outcome.differs {
    font-weight: 600;
  }
  time {
    font-variant-numeric: tabular-nums;
  }
  .cell > .badge {
    white-space: normal;
  }
  .verified {
    color: var(--_verified);
  }
  .differs {
    color: var(--_differs);
  }
  .hidden,
  .erased {
    color: var(--_hidden);
  }
  .unchecked,
  .checking {
    color: var(--_muted);
  }
  .notice {
    padding: 1rem;
    text-align: center;
  }
  .newer {
    position: absolute;
    inset-block-start: 2.5rem;
    inset-inline: 0;
    margin-inline: auto;
    inline-size: fit-content;
    z-index: 2;
    background: var(--_accent);
    color: var(--_background);
  }
  .newer:focus-visible {
    outline-color: var(--_background);
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (prefers-reduced-motion: no-preference) {
    .body .row {
      transition: background 0.1s;
    }
  }
  @media (forced-colors: active) {
    .row[aria-selected="true"] {
      outline: 2px solid SelectedItem;
      outline-offset: -2px;
    }
  }
`;
