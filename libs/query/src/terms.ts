// Splits a query into its terms: words, and names with their values. Used by the rest of this package. It
// takes every text, also one that is still being typed, and says what is open in it.

export interface Value {
  readonly text: string;
  /** First place of the written value, with its quotes. */
  readonly from: number;
  readonly to: number;
  /** Whether its quote is not closed. */
  readonly isOpen: boolean;
}

export interface Term {
  readonly from: number;
  readonly to: number;
  readonly isExcluded: boolean;
  /** Undefined for a word. */
  readonly name: string | undefined;
  readonly values: readonly Value[];
  /** Whether its parenthesis is not closed. */
  readonly isOpen: boolean;
}

const SPACE = /\s*/y;
const NAME = /(-?)([A-Za-z_][\w.-]*):/y;
const EXCLUDED = /-(?=\S)/y;
const QUOTED = /"((?:[^"\\]|\\.?)*)("?)/sy;
const BARE = /\S+/y;
const BARE_IN_LIST = /[^\s)]+/y;

export function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  let at = afterSpace(query, 0);
  while (at < query.length) {
    const term = termAt(query, at);
    terms.push(term);
    at = afterSpace(query, term.to);
  }
  return terms;
}

/** Whether a word would be read as something else. */
export const isSpecial = (word: string): boolean =>
  word.startsWith('"') || matchAt(NAME, word, 0) !== null || matchAt(EXCLUDED, word, 0) !== null;

function termAt(query: string, from: number): Term {
  const [named = "", minus = "", name] = matchAt(NAME, query, from) ?? [];
  const excluded = name === undefined ? (matchAt(EXCLUDED, query, from)?.[0] ?? "") : minus;
  const at = from + (name === undefined ? excluded.length : named.length);
  const isExcluded = excluded !== "";
  if (name !== undefined && query[at] === "(")
    return { from, isExcluded, name, ...listAt(query, at + 1) };
  const value = valueAt(query, at, BARE);
  const values = value ? [value] : [];
  return { from, to: value?.to ?? at, isExcluded, name, values, isOpen: false };
}

function listAt(query: string, from: number): Pick<Term, "to" | "values" | "isOpen"> {
  const values: Value[] = [];
  let at = afterSpace(query, from);
  while (at < query.length && query[at] !== ")") {
    const value = valueAt(query, at, BARE_IN_LIST);
    if (!value) break;
    values.push(value);
    at = afterSpace(query, value.to);
  }
  const isOpen = query[at] !== ")";
  return { to: isOpen ? at : at + 1, values, isOpen };
}

function valueAt(query: string, from: number, bare: RegExp): Value | undefined {
  const [quoted, inside = "", end] = matchAt(QUOTED, query, from) ?? [];
  if (quoted !== undefined) {
    const text = inside.replaceAll(/\\(.?)/gs, "$1");
    return { text, from, to: from + quoted.length, isOpen: end === "" };
  }
  const [text] = matchAt(bare, query, from) ?? [];
  if (text === undefined) return undefined;
  return { text, from, to: from + text.length, isOpen: false };
}

function afterSpace(query: string, from: number): number {
  return from + (matchAt(SPACE, query, from)?.[0].length ?? 0);
}

function matchAt(pattern: RegExp, query: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(query);
}
