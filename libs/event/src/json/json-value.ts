// The values that the strict reader makes and the canonical writer takes, and the fault that the reader
// throws. The gateway turns a JsonFault into a 422 that names the path; nothing here knows a status code.

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/**
 * A JSON object. Those of `readJson` inherit nothing, so `__proto__`, `constructor` and `hasOwnProperty`
 * are members like any other and an absent member is always undefined. (For the same reason `${object}`
 * throws.)
 */
export interface JsonObject {
  [name: string]: JsonValue;
}

/**
 * Why a text was not read. `message` is a sentence for a person and quotes at most a short piece of the
 * text.
 */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
  /** The member at fault, such as `events[3].metadata.a["odd key"]`; empty for the text itself. */
  readonly path: string;
  /** Bytes of the text before the fault. */
  readonly offset: number;

  constructor(path: string, message: string, offset: number) {
    super(message);
    this.path = path;
    this.offset = offset;
  }
}

/** Characters of a member name shown in a path; names can be as long as the body. */
const MAX_NAME_SHOWN = 80;

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Joins member names and array indexes into the path form; undefined steps are left out. */
export function formatPath(steps: readonly (string | number | undefined)[]): string {
  let path = "";
  for (const step of steps) {
    if (step === undefined) continue;
    if (typeof step === "number") {
      path += `[${step}]`;
      continue;
    }
    const name = excerpt(step, MAX_NAME_SHOWN);
    if (!PLAIN_NAME.test(name)) path += `[${JSON.stringify(name)}]`;
    else path += path === "" ? name : `.${name}`;
  }
  return path;
}

/** At most `length` characters of the text, with an ellipsis if something was cut. */
export function excerpt(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
