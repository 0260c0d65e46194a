// Cuts a JSON object into the texts of its members, without parsing them. Called by parquet-file.ts for the
// lines that the ledger rendered, so it takes them for valid JSON without white space.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];

/** The text of each member, by its name, of the object that begins at `from`. */
export function membersIn(text: string, from = 0): Map<string, string> {
  const members = new Map<string, string>();
  let at = from + 1;
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = stringEnd(text, at);
    const valueEnd = endOfValue(text, nameEnd + 1);
    members.set(text.slice(at + 1, nameEnd - 1), text.slice(nameEnd + 1, valueEnd));
    at = valueEnd + 1;
  }
  return members;
}

/** The index after the value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && (code === COMMA || CLOSING.includes(code))) return at;
    if (OPENING.includes(code)) depth += 1;
    else if (CLOSING.includes(code)) depth -= 1;
    at += 1;
    if (depth === 0 && CLOSING.includes(code)) return at;
  }
  return at;
}

/** The index after the closing quote of the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
