// Finds a secret in a text, whatever both are. Called by redactor.ts. A client chooses both: the work must
// never be the product of their lengths, which is what a pattern or `indexOf` may cost. The algorithm of
// Knuth, Morris and Pratt reads each character of the text once.

/** The UTF-16 units of a text. */
export type Units = Uint16Array;

export interface Found {
  /** The places that the secret takes, in order; those that overlap are joined. The ends are exclusive. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** Units at the end of the text that the secret begins with: it may have been cut there. */
  readonly atEnd: number;
  /** Units that were compared: at most twice those of the text, and as many again for the secret. */
  readonly compared: number;
}

/** `borders` is memory for one number more than the text has units: it is written to. */
export function findSecret(text: Units, secret: Units, borders: Units): Found {
  const ranges: [number, number][] = [];
  let compared = bordersOf(secret, Math.min(secret.length, text.length + 1), borders);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    compared += 1;
    while (matched > 0 && secret[matched] !== unit) {
      matched = borders[matched - 1] ?? 0;
      compared += 1;
    }
    if (secret[matched] !== unit) continue;
    matched += 1;
    if (matched < secret.length) continue;
    const [from, to] = [at + 1 - matched, at + 1];
    const last = ranges.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else ranges.push([from, to]);
    matched = borders[matched - 1] ?? 0;
  }
  return { ranges, atEnd: matched, compared };
}

/** Writes how much of its own beginning each beginning of the secret ends with, up to a length. */
function bordersOf(secret: Units, length: number, borders: Units): number {
  let compared = 0;
  let matched = 0;
  borders[0] = 0;
  for (let at = 1; at < length; at += 1) {
    const unit = secret[at];
    compared += 1;
    while (matched > 0 && secret[matched] !== unit) {
      matched = borders[matched - 1] ?? 0;
      compared += 1;
    }
    if (secret[matched] === unit) matched += 1;
    borders[at] = matched;
  }
  return compared;
}

export function unitsOf(text: string): Units {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}
