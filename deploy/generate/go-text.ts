// How the generators of packages/sdk-go write Go: names, comments, structs as gofmt has them. Used by
// go-types.ts and go-resources.ts.

const INITIALISMS = new Set([
  "api",
  "hec",
  "http",
  "id",
  "ip",
  "json",
  "otlp",
  "s3",
  "sha256",
  "url",
]);
const PLURALS = new Set(["ids", "ips", "urls"]);
const COMMENT_WIDTH = 100;

/** `previous_hash`, `NewApiKey` and `replay-delivery` as exported names of Go. */
export function goName(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/);
  return words.filter(Boolean).map(goWord).join("");
}

function goWord(word: string): string {
  const lower = word.toLowerCase();
  if (INITIALISMS.has(lower)) return lower.toUpperCase();
  if (PLURALS.has(lower)) return `${lower.slice(0, -1).toUpperCase()}s`;
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The same for a parameter: `delivery_id` is `deliveryID`. */
export function goParameter(name: string): string {
  const [first = "", ...rest] = name.split("_");
  return first + rest.map(goName).join("");
}

export function goComment(text: string, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const isFull = line.length + word.length >= COMMENT_WIDTH;
    if (isFull) lines.push(line.trimEnd());
    line = isFull ? `${word} ` : `${line}${word} `;
  }
  return [...lines, line.trimEnd()].filter(Boolean).map((each) => `${indent}// ${each}`);
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly tag: string;
  readonly comment?: string | undefined;
}

/** gofmt aligns the fields between two comments. */
export function goFields(fields: readonly Field[]): string[] {
  const runs: Field[][] = [];
  for (const field of fields) {
    const last = runs.at(-1);
    if (last === undefined || field.comment !== undefined) runs.push([field]);
    else last.push(field);
  }
  return runs.flatMap((run) => {
    const width = Math.max(...run.map(({ name }) => name.length));
    const types = Math.max(...run.map(({ type }) => type.length));
    return run.flatMap(({ comment, name, tag, type }) => [
      ...(comment === undefined ? [] : goComment(comment, "\t")),
      `\t${name.padEnd(width)} ${tag === "" ? type : `${type.padEnd(types)} ${tag}`}`,
    ]);
  });
}
