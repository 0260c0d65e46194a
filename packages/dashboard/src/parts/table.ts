// A table that becomes a list of cards on a narrow window. The roles are written out: CSS that lays a table
// out as blocks takes them from a screen reader.

import { html, type TemplateResult } from "lit/html.js";

type Cell = TemplateResult | string | number | null | undefined;

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Cell;
}

/** `what` names the table for a screen reader. */
export function table<T>(
  what: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
): TemplateResult {
  return html`<table role="table" aria-label=${what}>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ title }) => html`<th role="columnheader" scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            ${columns.map(
              ({ title, cell }) =>
                html`<td role="cell">
                  <span class="label" aria-hidden="true">${title}</span>
                  <div class="value">${cell(row)}</div>
                </td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A button of a row. `row` names the row for a screen reader. */
export function rowButton(
  text: string,
  row: string,
  act: () => unknown,
  { isBusy = false, kind = "" } = {},
): TemplateResult {
  return html`<button
    type="button"
    class=${kind}
    ?disabled=${isBusy}
    aria-label=${`${text} ${row}`}
    @click=${() => void act()}
  >
    ${text}
  </button>`;
}

export const DANGER = { kind: "danger" };
