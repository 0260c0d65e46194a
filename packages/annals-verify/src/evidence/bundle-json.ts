// bundle.json, which names the files of a bundle and what they hold. Called by bundle-files.ts. It is parsed
// strictly, and proves nothing by itself: the other files are checked against each other.

import { type JsonValue, readJson } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import {
  ACCOUNT_ID,
  anyObject,
  anyText,
  exactObject,
  integerFrom,
  SHA256,
  textLike,
  TIME,
} from "../shape.ts";

export interface ListedFile {
  readonly sha256: string;
  readonly size: number;
}

export interface BundleJson {
  readonly origin: string;
  readonly chain: string;
  readonly from: number;
  readonly to: number;
  /** Whether events of the range may have been left out. */
  readonly isFiltered: boolean;
  readonly createdAt: string;
  readonly files: ReadonlyMap<string, ListedFile>;
  /** The text of the events if it is in a file of its own, as an archive has it. */
  readonly events: ListedFile | undefined;
}

/** About 100 bytes a file, for as many as a bundle may have. */
export const MAX_BUNDLE_JSON_BYTES = 32 * 1024 * 1024;

const READ_LIMITS = { maxDepth: 8, maxValues: 1_000_000 };
const VERSION = 1;
const KIND = "annals-evidence";
const MEMBERS = [
  "v",
  "kind",
  "origin",
  "chain",
  "filter",
  "created_at",
  "from_sequence",
  "to_sequence",
  "files",
];

/** Throws BadLine, and JsonFault for what is not JSON. */
export function readBundleJson(bytes: Buffer): BundleJson {
  const given = anyObject(readJson(bytes, READ_LIMITS), "bundle.json");
  const members = given["events"] === undefined ? MEMBERS : [...MEMBERS, "events"];
  const bundle = exactObject(given, members, "bundle.json");
  if (bundle["v"] !== VERSION) throw new BadLine("its version is unknown");
  textLike(bundle["kind"], { is: new RegExp(`^${KIND}$`), name: `"${KIND}"` }, "its kind");
  const from = integerFrom(bundle["from_sequence"], 1, "its from_sequence");
  return {
    origin: anyText(bundle["origin"], "its origin"),
    chain: textLike(bundle["chain"], ACCOUNT_ID, "its chain"),
    from,
    to: integerFrom(bundle["to_sequence"], from, "its to_sequence"),
    isFiltered: Object.keys(anyObject(bundle["filter"], "its filter")).length > 0,
    createdAt: textLike(bundle["created_at"], TIME, "its created_at"),
    files: new Map(
      Object.entries(anyObject(bundle["files"], "its files")).map(([name, value]) => [
        name,
        readListed(value, "a file"),
      ]),
    ),
    events: given["events"] === undefined ? undefined : readListed(given["events"], "its events"),
  };
}

function readListed(value: JsonValue | undefined, what: string): ListedFile {
  const file = exactObject(value, ["sha256", "size"], what);
  return {
    sha256: textLike(file["sha256"], SHA256, `the sha256 of ${what}`),
    size: integerFrom(file["size"], 0, `the size of ${what}`),
  };
}
