// The styles of chosen columns: a table in little space has the same cards whatever is chosen. Adopted by the
// element after all others.

import { css } from "lit";

export const columnStyles = css`
  @container list (inline-size >= 56rem) {
    .row {
      grid-template-columns: var(--_columns);
    }
    .head,
    .row {
      min-inline-size: min-content;
    }
    .card {
      display: none;
    }
  }
  @container list (inline-size < 56rem) {
    .wide {
      display: none;
    }
  }
`;
