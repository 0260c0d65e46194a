// The styles of the detail. Adopted by the element before those of styles.ts, which make it fit narrow pages.

import { css } from "lit";

export const detailStyles = css`
  .detail {
    flex: 0 0 45%;
    min-inline-size: 0;
    overflow: auto;
    padding: 0.75rem;
    border-inline-start: 1px solid var(--_border);
    background: var(--_background);
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
