// Says what of a query is being typed at a place, so that a search bar can complete it. Used by the viewer.

import { filterOf } from "./names.ts";
import { termsOf } from "./terms.ts";

export interface QueryPart {
  /** The filter whose value it is; undefined for a word, which may become a name. */
  readonly filter: string | undefined;
  /** What is written before the place. */
  readonly text: string;
  /** What to replace. */
  readonly from: number;
  readonly to: number;
}

export function partAt(query: string, place: number): QueryPart {
  const term = termsOf(query).findLast(({ from, to }) => from <= place && place <= to);
  const value = term?.values.find(({ from, to }) => from <= place && place <= to);
  if (!term) return { filter: undefined, text: "", from: place, to: place };
  const filter = term.name === undefined ? undefined : filterOf(term.name);
  if (value) {
    const { from, to } = value;
    return { filter, text: query.slice(from, place).replace(/^"/, ""), from, to };
  }
  const isInName = term.name !== undefined && query.slice(term.from, place).indexOf(":") < 0;
  if (!isInName) return { filter, text: "", from: place, to: place };
  const from = term.from + Number(term.isExcluded);
  return { filter: undefined, text: query.slice(from, place), from, to: place };
}
