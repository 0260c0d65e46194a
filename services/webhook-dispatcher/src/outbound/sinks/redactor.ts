// Removes the secrets of a sink from a text that its receiver has sent back. Called by sink-http.ts and by the
// receivers of buckets. It must run before a text is cut: a cut secret is not recognised.

/** A shorter value protects nothing, and removing it would make the text unreadable. */
const MIN_SECRET_LENGTH = 4;
/** A shorter part of a URL's path is a word of its interface. */
const MIN_SEGMENT_LENGTH = 12;
const MAX_READ = 64 * 1024;
const REMOVED = "[removed]";

export class Redactor {
  readonly #pattern: RegExp | undefined;

  constructor(secrets: readonly string[]) {
    const forms = secrets.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]);
    const unique = [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
    // The longest first: a secret may be part of another.
    const ordered = unique.toSorted((one, other) => other.length - one.length);
    if (ordered.length > 0) this.#pattern = new RegExp(ordered.map(escaped).join("|"), "gi");
  }

  /** Returns the first `maxLength` visible characters of a text, without the secrets. */
  visible(text: string, maxLength: number): string {
    const read = text.slice(0, MAX_READ).replaceAll(/[\p{C}\p{Z}]+/gu, " ");
    const clean = this.#pattern ? read.replaceAll(this.#pattern, REMOVED) : read;
    const characters = [...clean.trim()];
    return characters.length <= maxLength
      ? characters.join("")
      : `${characters.slice(0, maxLength).join("")}…`;
  }
}

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

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
