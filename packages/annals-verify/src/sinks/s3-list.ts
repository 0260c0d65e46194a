// Reads a page of a list of S3-compatible storage, ListObjectsV2. Called by s3-files.ts. It takes time in
// proportion to the length of the page, whatever that holds.

import { NotChecked } from "../evidence/evidence-fault.ts";

export interface S3Object {
  readonly key: string;
  readonly size: number;
}

interface Page {
  readonly objects: readonly S3Object[];
  /** The token of the next page; undefined for the last one. */
  readonly next: string | undefined;
}

/** What S3 allows. */
const MAX_KEY_BYTES = 1_024;
const MAX_TOKEN_BYTES = 4_096;
const [BEGIN, END] = ["<Contents>", "</Contents>"];
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Throws NotChecked for a text that is not such a page. */
export function pageIn(xml: string): Page {
  if (!xml.includes("<ListBucketResult")) throw new NotChecked("the storage answers with no list");
  const objects = Array.from(contentsIn(xml), objectIn);
  if (textIn(xml, "IsTruncated") !== "true") return { objects, next: undefined };
  const next = textIn(xml, "NextContinuationToken");
  if (next === undefined || objects.length === 0)
    throw new NotChecked("the list of the storage is not complete");
  if (!isText(next, MAX_TOKEN_BYTES)) throw unreadable();
  return { objects, next };
}

function* contentsIn(xml: string): Generator<string> {
  for (let at = xml.indexOf(BEGIN); at >= 0; at = xml.indexOf(BEGIN, at)) {
    const end = xml.indexOf(END, at);
    if (end < 0) throw unreadable();
    yield xml.slice(at + BEGIN.length, end);
    at = end + END.length;
  }
}

function objectIn(content: string): S3Object {
  const [key, size = ""] = [textIn(content, "Key"), textIn(content, "Size")];
  if (key === undefined || !isText(key, MAX_KEY_BYTES) || !/^\d{1,15}$/.test(size))
    throw unreadable();
  return { key, size: Number(size) };
}

/** Whether it can be encoded, and has no more bytes. */
function isText(text: string, most: number): boolean {
  return text.isWellFormed() && Buffer.byteLength(text) <= most;
}

function unreadable(): NotChecked {
  return new NotChecked("the list of the storage cannot be read");
}

function textIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (all, hex, code, entity) => {
      if (entity !== undefined) return ENTITIES[entity as string] ?? all;
      const point = hex === undefined ? Number(code) : Number.parseInt(hex as string, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : all;
    },
  );
}
