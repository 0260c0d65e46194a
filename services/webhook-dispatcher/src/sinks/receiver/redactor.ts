// Removes the secrets of a sink from a text that its receiver has sent back. Called by sink-http.ts. It must
// run before a text is shortened to what is shown. The client has chosen the secrets, and may have chosen the
// text: no secret may be a pattern over it.

import { findSecret, type Units, unitsOf } from "./find-secret.ts";

/** A shorter value protects nothing, and removing it would make the text unreadable. */
const MIN_SECRET_LENGTH = 4;
/** A shorter part of a URL's path is a word of its interface. */
const MIN_SEGMENT_LENGTH = 12;
/** UTF-16 units of a text that are read: ten times what is shown. */
export const MAX_READ = 2 * 1024;
const REMOVED = "[removed]";

export class Redactor {
  readonly #secrets: readonly string[];
  /** What is looked for. It is made for the first text: most receivers send none. */
  #forms: readonly Units[] | undefined;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Returns the first `maxLength` visible characters of a text, without the secrets. */
  visible(text: string, maxLength: number): string {
    const isCut = text.length > MAX_READ;
    const read = inOneLine(isCut ? beginningOf(text) : text);
    const characters = Array.from(this.#clean(read, isCut).trim());
    return characters.length <= maxLength
      ? characters.join("")
      : `${characters.slice(0, maxLength).join("")}…`;
  }

  /** A secret whose end was cut off with that of the text is removed, too. */
  #clean(text: string, isCut: boolean): string {
    const units = unitsOf(foldedCase(text));
    const borders = new Uint16Array(units.length + 1);
    const secret = new Uint8Array(text.length);
    this.#forms ??= formsOf(this.#secrets);
    for (const form of this.#forms) {
      const { atEnd, ranges } = findSecret(units, form, borders);
      for (const [from, to] of ranges) secret.fill(1, from, to);
      if (isCut) secret.fill(1, text.length - atEnd);
    }
    let clean = "";
    for (let at = 0; at < text.length;) {
      const isSecret = secret[at];
      const next = secret.indexOf(isSecret === 1 ? 0 : 1, at);
      const end = next < 0 ? text.length : next;
      clean += isSecret === 1 ? REMOVED : text.slice(at, end);
      at = end;
    }
    return clean;
  }
}

/**
 * The beginning of a text that is read, without half of a character: what is before it may be of a secret.
 */
function beginningOf(text: string): string {
  return text.slice(0, MAX_READ).replace(/[\uD800-\uDBFF]$/, "");
}

/** The secrets as they are sent back: as they are, in a URL, and in JSON. Case does not count. */
export function formsOf(secrets: readonly string[]): Units[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
  const folded = forms.map((form) => foldedCase(inOneLine(form)));
  const unique = [...new Set(folded)].filter((form) => form.length >= MIN_SECRET_LENGTH);
  return unique.map(unitsOf);
}

function inOneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, " ");
}

/**
 * The text in one case, of the same length: characters stay that are several, or ASCII, in the other case.
 */
function foldedCase(text: string): string {
  return text.replaceAll(/[a-z]+/g, upperCase).replaceAll(/[\u0080-\uFFFF]/g, (character) => {
    const upper = character.toUpperCase();
    return upper.length === 1 && upper > "\u007F" ? upper : character;
  });
}

const upperCase = (text: string): string => text.toUpperCase();

/** Returns what may be secret of headers: each value, and what follows its scheme (`Bearer`, `Basic`). */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => {
    const [scheme = "", ...rest] = value.trim().split(/\s+/);
    const credentials = rest.join(" ");
    if (scheme.toLowerCase() !== "basic") return [value.trim(), credentials];
    const [, ...password] = Buffer.from(credentials, "base64").toString("utf8").split(":");
    return [value.trim(), credentials, password.join(":")];
  });
}

/** Returns what may be secret of a URL: the values of its query, and long parts of its path. */
export function secretsOfUrl(url: URL): string[] {
  const segments = url.pathname.split("/").filter((part) => part.length >= MIN_SEGMENT_LENGTH);
  return [...segments, ...segments.map(decoded), ...url.searchParams.values()];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
