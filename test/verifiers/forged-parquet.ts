// Parquet exports whose pages or footer were forged, and whose sizes, digests and manifest fit otherwise.

import { hash } from "node:crypto";
import { decode, encode, type Thrift, type ThriftStruct } from "./thrift-codec.ts";

const MAGIC_BYTES = 4;
const TAIL_BYTES = 8;
/** Of a row group that an export may have. */
const MOST_BYTES = 32 * 1024 * 1024;
const NO_DIGEST = "0".repeat(64);

/** A page of a column: its header, and what is behind that. */
export interface Page {
  header: ThriftStruct;
  body: Buffer;
}

export interface Forgery {
  /** Changes the pages of one column of the first row group. */
  readonly pages?: { readonly column: string; readonly change: (pages: Page[]) => Page[] };
  /** Bytes between the row groups and the footer, and whether the manifest counts them. */
  readonly gap?: { readonly bytes: Buffer; readonly isCounted: boolean };
  /** Changes the footer, when its offsets and sizes fit. */
  readonly footer?: (footer: ThriftStruct) => ThriftStruct;
}

export const fields = (value: Thrift | undefined): ThriftStruct => value as ThriftStruct;
export const list = (value: Thrift | undefined): Thrift[] => value as Thrift[];

export const textOf = (value: Thrift | undefined): string =>
  Buffer.isBuffer(value) ? value.toString() : "";

/** The first row group. */
export function groupIn(footer: ThriftStruct): ThriftStruct {
  return fields(list(footer[4])[0]);
}

/** What the footer says of a column of the first row group. */
export function columnIn(footer: ThriftStruct, name: string): ThriftStruct {
  const metas = list(groupIn(footer)[1]).map((column) => fields(fields(column)[3]));
  return fields(metas.find((meta) => textOf(list(meta[3])[0]) === name));
}

/** Changes the footer alone. */
export function footerWith(change: (footer: ThriftStruct) => unknown): Forgery {
  return {
    footer: (given) => {
      change(given);
      return given;
    },
  };
}

export function forged(valid: Buffer, { footer: change, gap, pages }: Forgery): Buffer {
  const length = valid.readUInt32LE(valid.length - TAIL_BYTES);
  const end = valid.length - TAIL_BYTES - length;
  const footer = decode(valid.subarray(end)).value;
  const parts = [valid.subarray(0, MAGIC_BYTES)];
  let at = MAGIC_BYTES;
  for (const group of list(footer[4]).map(fields)) {
    const groupAt = at;
    for (const column of list(group[1]).map(fields)) {
      const meta = fields(column[3]);
      const from = Number(meta[11] ?? meta[9]);
      const own = valid.subarray(from, from + Number(meta[7]));
      const isForged = pages?.column === textOf(list(meta[3])[0]) && group === groupIn(footer);
      const bytes = isForged ? bytesOf(pages.change(pagesIn(own))) : own;
      if (isForged) fitPages(meta, bytes);
      move(meta, at, bytes);
      column[2] = BigInt(at);
      parts.push(bytes);
      at += bytes.length;
    }
    const metas = list(group[1]).map((column) => fields(fields(column)[3]));
    group[2] = metas.reduce((sum, meta) => sum + BigInt(Number(meta[6])), 0n);
    group[6] = BigInt(at - groupAt);
  }
  const body = Buffer.concat(parts);
  const all = Buffer.concat([body, gap?.bytes ?? Buffer.alloc(0)]);
  const counted = gap?.isCounted === true ? all : body;
  return Buffer.concat([all, ending(change ? change(footer) : footer, counted)]);
}

function pagesIn(bytes: Buffer): Page[] {
  const pages: Page[] = [];
  for (let at = 0; at < bytes.length;) {
    const { end, value: header } = decode(bytes, at);
    at = end + Number(header[3]);
    pages.push({ header, body: bytes.subarray(end, at) });
  }
  return pages;
}

function bytesOf(pages: readonly Page[]): Buffer {
  return Buffer.concat(pages.flatMap(({ body, header }) => [encode(header), body]));
}

/** Lets the footer say of a column which pages it has, and how large they are if that may be true. */
function fitPages(meta: ThriftStruct, bytes: Buffer): void {
  const pages = pagesIn(bytes);
  const size = pages.reduce(
    (sum, { header }) => sum + encode(header).length + Number(header[2] ?? 0),
    0,
  );
  if (size < MOST_BYTES) meta[6] = BigInt(size);
  const [dictionaries, values] = [2, 3].map(
    (type) => pages.filter(({ header }) => header[1] === type).length,
  ) as [number, number];
  const encoding = dictionaries > 0 ? 8 : 0;
  meta[2] = dictionaries > 0 ? [0, encoding] : [encoding];
  const counts = [
    { 1: 2, 2: 0, 3: dictionaries },
    { 1: 3, 2: encoding, 3: values },
  ];
  if (meta[13] !== undefined) meta[13] = counts.slice(dictionaries > 0 ? 0 : 1);
}

/** Lets a column begin at `at`, and have these bytes. */
function move(meta: ThriftStruct, at: number, bytes: Buffer): void {
  const [first] = pagesIn(bytes);
  const isDictionary = first?.header[1] === 2;
  const dictionaryBytes = isDictionary ? encode(first.header).length + first.body.length : 0;
  meta[7] = BigInt(bytes.length);
  meta[9] = BigInt(at + dictionaryBytes);
  if (isDictionary) meta[11] = BigInt(at);
}

/** The footer with a manifest that fits the body, and with its own digest. */
function ending(footer: ThriftStruct, body: Buffer): Buffer {
  const entries = Array.isArray(footer[5]) ? footer[5].map(fields) : [];
  for (const entry of entries) {
    if (textOf(entry[1]) === "annals.manifest") entry[2] = Buffer.from(fit(textOf(entry[2]), body));
    if (textOf(entry[1]) === "annals.footer_sha256") entry[2] = Buffer.from(NO_DIGEST);
  }
  const bytes = encode(footer);
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.writeUInt32LE(bytes.length);
  tail.write("PAR1", MAGIC_BYTES);
  const all = Buffer.concat([bytes, tail]);
  const at = all.lastIndexOf(NO_DIGEST);
  if (at >= 0) all.write(hash("sha256", all), at);
  return all;
}

function fit(record: string, body: Buffer): string {
  const manifest = JSON.stringify({
    ...(JSON.parse(record) as { manifest: object }).manifest,
    size_bytes: body.length,
    sha256: hash("sha256", body),
  });
  return `{"manifest":${manifest},"manifest_sha256":"${hash("sha256", manifest)}"}`;
}
