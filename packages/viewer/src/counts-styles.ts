// The styles of the bars and of the frequent values. Adopted by the element.

import { css } from "lit";

export const countsStyles = css`
  .bars {
    padding: 0.4rem 0.75rem 0;
    border-block-end: 1px solid var(--_border);
    direction: ltr;
  }
  .bars svg {
    display: block;
    inline-size: 100%;
    block-size: 3.5rem;
    touch-action: pan-y;
    user-select: none;
    cursor: col-resize;
    border-block-end: 1px solid var(--_control);
  }
  svg .all {
    fill: var(--_accent);
  }
  svg .failures {
    fill: var(--_differs);
    stroke: var(--_background);
    vector-effect: non-scaling-stroke;
  }
  .legend .all {
    color: var(--_accent);
  }
  .legend .failures {
    color: var(--_differs);
  }
  .hit {
    fill: transparent;
  }
  .hit:hover {
    fill: color-mix(in srgb, var(--_accent) 15%, transparent);
  }
  .hit.picked {
    fill: color-mix(in srgb, var(--_accent) 30%, transparent);
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.5em;
    margin: 0.15rem 0 0.3rem;
    font-size: 0.85em;
  }
  .how {
    margin-inline-start: auto;
  }
  .facets {
    order: -1;
    flex: 0 0 13rem;
    overflow: auto;
    padding: 0.5rem 0.75rem;
    border-inline-end: 1px solid var(--_border);
  }
  .facets h2 {
    margin: 0.5rem 0 0.2rem;
    font-size: 1em;
  }
  .facets p {
    margin: 0.2rem 0;
  }
  .facets ul {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .facets li {
    display: flex;
  }
  .facets button {
    padding: 0.1em 0.3em;
    min-block-size: 1.75em;
    border-color: transparent;
    background: none;
  }
  .facets [part="facet"] {
    flex: 1;
    min-inline-size: 0;
    display: flex;
    gap: 0.5em;
    justify-content: space-between;
    text-align: start;
  }
  .facets bdi {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .facets [aria-pressed="true"] {
    border-color: var(--_accent);
  }
  .facets button:hover {
    background: var(--_surface);
  }
  @container viewer (inline-size < 60rem) {
    .facets,
    .how {
      display: none;
    }
  }
  @container viewer (inline-size < 70rem) {
    .has-detail :is(.bars, .facets) {
      visibility: hidden;
    }
  }
  @media (forced-colors: active) {
    svg .all {
      fill: CanvasText;
    }
    svg .failures {
      fill: Mark;
      stroke: Canvas;
    }
    .legend .failures {
      color: Mark;
    }
    .hit.picked {
      fill: none;
      stroke: Highlight;
    }
  }
`;
