// The styles of the viewer in little space: rows become cards, and the opened event covers them. Adopted
// by the element after those of styles.ts.

import { css } from "lit";

export const narrowStyles = css`
  @container list (inline-size < 56rem) {
    .row {
      grid-template-columns: minmax(13rem, 1fr) minmax(0, auto);
      grid-template-areas: "action proof" "actor target" "time address";
      row-gap: 0.1rem;
      block-size: calc(var(--_row) * 1.6);
      align-content: center;
    }
    .head {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    .is-empty .grid {
      flex-basis: 0;
    }
    .cell {
      display: flex;
      gap: 0.5em;
      align-items: baseline;
    }
    .cell[part="time"] {
      grid-area: time;
    }
    .cell[part="action"] {
      grid-area: action;
    }
    .cell[part="actor"] {
      grid-area: actor;
    }
    .cell[part="target"] {
      grid-area: target;
    }
    .cell[part="address"] {
      grid-area: address;
    }
    .proof {
      grid-area: proof;
    }
    .cell:is([part="target"], [part="address"], .proof) {
      justify-self: end;
      max-inline-size: 100%;
    }
    .cell > time {
      flex: none;
    }
    .cell > .badge {
      white-space: nowrap;
    }
  }
  @container list (inline-size < 32rem) {
    .row {
      grid-template-columns: minmax(0, 1fr) fit-content(60%);
      grid-template-areas: "action action" "actor target" "time time" "address proof";
      block-size: calc(var(--_row) * 2);
    }
    .cell[part="address"] {
      justify-self: start;
    }
    .cell:is([part="actor"], [part="target"]) > .muted {
      display: none;
    }
  }
  @container viewer (inline-size < 32rem) {
    .chips {
      display: flex;
    }
  }
  @container viewer (inline-size < 70rem) {
    .has-detail :is(.query, .times, .chips, .bar, .list) {
      visibility: hidden;
    }
  }
`;
