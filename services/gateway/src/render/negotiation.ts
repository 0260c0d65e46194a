// What a client accepts, by its headers: a compressed body, a text in place of JSON, or that nothing has
// changed. Used by static-files.ts, head-log.ts and the routes of the log.

/** Whether Accept-Encoding, such as `gzip, br;q=0.5`, takes gzip. */
export function takesGzip(header?: string): boolean {
  const weights = weightsOf(header);
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

/** Whether Accept prefers a plain text to JSON, which is the default. */
export function prefersText(header?: string): boolean {
  const weights = weightsOf(header);
  const any = weights.get("*/*") ?? 0;
  const text = weights.get("text/plain") ?? weights.get("text/*") ?? any;
  return text > (weights.get("application/json") ?? weights.get("application/*") ?? any);
}

/** Whether If-None-Match names the tag, as a strong or a weak one. */
export function isKnown(tag: string, header = ""): boolean {
  const tags = header.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.includes(tag) || header.trim() === "*";
}

function weightsOf(header = ""): Map<string, number> {
  const choices = header.toLowerCase().split(",");
  return new Map(
    choices.map((choice) => {
      const [name = "", ...more] = choice.split(";").map((part) => part.trim());
      const weight = more.find((one) => one.startsWith("q=")) ?? "q=1";
      return [name, Number(weight.slice("q=".length))];
    }),
  );
}
