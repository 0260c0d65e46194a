// The bodies of the fuzzer as bytes: what fits the schema, what does not, and what was spoilt on its way.
// Called by requests.ts. It must never mend what it makes.

import fc from "fast-check";
import { doubtful, fitting, HOSTILE, type Schema } from "./values.ts";

export const soundBody = (schema: Schema): fc.Arbitrary<Buffer | undefined> =>
  schema === undefined ? fc.constant(undefined) : fitting(schema).map((text) => Buffer.from(text));

export function doubtfulBody(schema: Schema): fc.Arbitrary<Buffer | undefined> {
  if (schema === undefined) {
    return fc.constantFrom(undefined, Buffer.from("{}"), Buffer.alloc(0), Buffer.from("\xff"));
  }
  return fc.oneof(
    { weight: 12, arbitrary: doubtful(schema).map((text) => Buffer.from(text)) },
    { weight: 4, arbitrary: fc.tuple(fitting(schema), spoil).map(([text, how]) => how(text)) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, Buffer.alloc(0)) },
  );
}

const INVALID_UTF8 = [
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
];

/** What happens to bytes on their way. */
const spoil: fc.Arbitrary<(text: string) => Buffer> = fc.oneof(
  fc.tuple(fc.constantFrom(...INVALID_UTF8), fc.nat()).map(
    ([bad, at]) =>
      (text: string) =>
        inserted(text, Buffer.from(bad), at),
  ),
  fc.tuple(fc.constantFrom(...HOSTILE, ",", "}", "]", ":", "/*a*/", "//"), fc.nat()).map(
    ([bad, at]) =>
      (text: string) =>
        inserted(text, Buffer.from(bad), at),
  ),
  fc.nat().map((at) => (text: string) => Buffer.from(text.slice(0, at % text.length))),
  fc.constant((text: string) => Buffer.from(`\ufeff${text}`)),
  fc.constant((text: string) => Buffer.from(text, "utf16le")),
  fc.constant((text: string) => Buffer.from(` \r\n\t${text} `)),
  fc.constant((text: string) => Buffer.from(text + text)),
);

function inserted(text: string, bad: Buffer, at: number): Buffer {
  const bytes = Buffer.from(text);
  const place = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, place), bad, bytes.subarray(place)]);
}
