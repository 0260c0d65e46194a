// The styles of the search bar, of the range of time and of the chips. Adopted by the element after those of
// styles.ts.

import { css } from "lit";

export const queryStyles = css`
  .query {
    padding-block-end: 0;
  }
  .combobox {
    flex: 1 1 16rem;
    position: relative;
    display: flex;
  }
  .combobox input {
    flex: 1;
    min-inline-size: 0;
    padding-inline-end: 2.5em;
  }
  .clear {
    position: absolute;
    inset-inline-end: 0;
    border-color: transparent;
    background: none;
  }
  [role="listbox"]:not([hidden]) {
    position: absolute;
    inset: 100% 0 auto;
    z-index: 4;
    margin: 0.15rem 0 0;
    padding: 0;
    max-block-size: 18rem;
    overflow: auto;
    list-style: none;
    background: var(--_background);
    border: 1px solid var(--_control);
    border-radius: var(--_radius);
  }
  [role="option"] {
    padding: 0.35em 0.7em;
    cursor: pointer;
    overflow-wrap: anywhere;
  }
  [role="option"]:hover {
    background: var(--_surface);
  }
  [role="option"][aria-selected="true"] {
    background: var(--_accent);
    color: var(--_background);
  }
  @media (forced-colors: active) {
    [role="option"][aria-selected="true"] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
  .fault {
    margin: 0.35rem 0.75rem 0;
    color: var(--_differs);
  }
  .times {
    align-items: end;
    padding-block-end: 0;
  }
  .chips {
    display: none;
    margin: 0;
    padding-block-end: 0;
    list-style: none;
  }
  .chips button {
    overflow-wrap: anywhere;
  }
  label {
    display: grid;
    gap: 0.15rem;
    flex: 1 1 9rem;
    max-inline-size: 15rem;
    color: var(--_muted);
  }
  label:has([type="datetime-local"]) {
    flex-basis: 14rem;
  }
  label input {
    inline-size: 100%;
    min-inline-size: 0;
    color: var(--_text);
  }
`;
