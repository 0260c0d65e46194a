// The styles of the opened event, which is over the right side of wide tables and over all of others.
// Adopted by the element before those of styles.ts.

import { css } from "lit";

export const detailStyles = css`
  .detail {
    position: absolute;
    inset: 0;
    z-index: 3;
    overflow: auto;
    padding: 0.75rem;
    background: var(--_background);
  }
  @container viewer (inline-size >= 70rem) {
    .main {
      position: relative;
    }
    .detail {
      inset-inline-start: auto;
      inline-size: min(42rem, 50%);
      border-inline-start: 1px solid var(--_control);
      box-shadow: 0 0 1rem rgb(0 0 0 / 25%);
    }
  }
  .detail p {
    margin-block: 0.4rem;
  }
  .sentence {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.9em;
    overflow-wrap: anywhere;
  }
  .sentence > span {
    display: inline-flex;
    flex-wrap: wrap;
    gap: 0 0.4em;
    min-inline-size: 0;
  }
  .sentence > span > bdi:first-child {
    font-weight: 600;
  }
  .tools {
    display: inline-flex;
    flex-wrap: wrap;
    gap: 0.25rem;
    white-space: nowrap;
    margin-inline-start: 0.5rem;
  }
  .tools button {
    padding: 0 0.4em;
    min-block-size: 1.7em;
    border-color: transparent;
    color: var(--_accent);
    font-size: 0.9em;
  }
  @media (hover: hover) {
    tr:not(:hover, :focus-within) .tools {
      opacity: 0;
    }
  }
  .detail header {
    display: flex;
    gap: 0.5rem;
    align-items: start;
  }
  h2,
  h3 {
    margin: 0;
    font-size: 1.1em;
    overflow-wrap: anywhere;
  }
  h3 {
    margin-block: 1rem 0.3rem;
    font-size: 1em;
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.2rem 0.75rem;
    margin: 0.5rem 0;
  }
  dt {
    color: var(--_muted);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  table {
    border-collapse: collapse;
    inline-size: 100%;
    table-layout: fixed;
  }
  table + button {
    margin-block-start: 0.4rem;
  }
  th,
  td {
    text-align: start;
    vertical-align: top;
    padding: 0.2rem 0.4rem;
    border: 1px solid var(--_border);
    overflow-wrap: anywhere;
    font-weight: 400;
  }
  .mark {
    unicode-bidi: isolate;
    color: var(--_differs);
    font-size: 0.85em;
  }
  td bdi,
  th bdi {
    white-space: pre-wrap;
  }
  col:first-child {
    inline-size: 30%;
  }
  [part="values"] th {
    color: var(--_muted);
  }
  thead th {
    color: var(--_muted);
    background: var(--_surface);
  }
  .added td:last-of-type,
  .changed td:last-of-type {
    color: var(--_verified);
  }
  .removed td,
  .changed td:first-of-type {
    color: var(--_differs);
  }
  .indent {
    display: inline-block;
    inline-size: 0.9rem;
  }
  pre {
    margin: 0.5rem 0;
    padding: 0.5rem;
    max-block-size: 20rem;
    overflow: auto;
    background: var(--_surface);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
`;
