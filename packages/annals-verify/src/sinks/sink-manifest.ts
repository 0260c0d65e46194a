// Reads the manifest of an object that a sink has written (docs/sinks.md). Called by verify-sinks.ts.
// It accepts the members that the service writes and no other.

import { quoteVisibly, readJson } from "@annals/event";
import { createHash } from "node:crypto";
import { BadLine } from "../bad-line.ts";
import { reading } from "../check-line.ts";
import {
  ACCOUNT_ID,
  anyText,
  exactObject,
  integerFrom,
  type Pattern,
  SHA256,
  textLike,
} from "../shape.ts";

const MEMBERS = [
  "format",
  "chain",
  "sink",
  "number",
  "from",
  "to",
  "count",
  "first_hash",
  "last_hash",
  "first_previous_hash",
  "object",
  "bytes",
  "sha256",
  "previous",
];
const FORMAT: Pattern = { is: /^annals-sink-manifest\/1$/, name: "annals-sink-manifest/1" };
const SINK_ID: Pattern = { is: /^sink_[0-9a-z]{1,64}$/, name: "the id of a sink" };
/** The folders are columns of a query engine, so they must say what the events do. */
const OBJECT =
  /^annals\/v1\/account=([^/]+)\/day=(\d{4}-\d\d-\d\d)\/(\d+)-(\d+)(?:\.r[1-9]\d*)?\.jsonl\.zst$/;
const LIMITS = { maxDepth: 1, maxValues: MEMBERS.length };

export interface SinkManifest {
  readonly chain: string;
  readonly sink: string;
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly firstHash: string;
  readonly lastHash: string;
  readonly firstPreviousHash: string;
  /** Name of the object, without the prefix of the sink. */
  readonly object: string;
  /** The day of its events, from its name. */
  readonly day: string;
  readonly bytes: number;
  readonly sha256: string;
  /** SHA-256 of the manifest before; null for the first. */
  readonly previous: string | null;
  /** SHA-256 of this manifest. */
  readonly own: string;
}

/** Throws BadLine. */
export function readSinkManifest(bytes: Buffer): SinkManifest {
  const given = reading(() => exactObject(readJson(bytes, LIMITS), MEMBERS, "the manifest"));
  const digest = (name: string) => textLike(given[name], SHA256, `its ${name}`);
  const integer = (name: string, least: number) => integerFrom(given[name], least, `its ${name}`);
  textLike(given["format"], FORMAT, "its format");
  const from = integer("from", 1);
  const to = integer("to", from);
  const chain = textLike(given["chain"], ACCOUNT_ID, "its chain");
  const object = anyText(given["object"], "its object");
  const [, account, day = "", ...range] = OBJECT.exec(object) ?? [];
  if (account !== chain || range[0] !== String(from) || range[1] !== String(to))
    throw new BadLine(
      `its object, ${quoteVisibly(object)}, is not named after its chain and range`,
    );
  const number = integer("number", 1);
  const previous = given["previous"] === null ? null : digest("previous");
  if ((previous === null) !== (number === 1))
    throw new BadLine("only the first manifest has none before it");
  return {
    chain,
    sink: textLike(given["sink"], SINK_ID, "its sink"),
    number,
    from,
    to,
    count: integer("count", 1),
    firstHash: digest("first_hash"),
    lastHash: digest("last_hash"),
    firstPreviousHash: digest("first_previous_hash"),
    object,
    day,
    bytes: integer("bytes", 1),
    sha256: digest("sha256"),
    previous,
    own: createHash("sha256").update(bytes).digest("hex"),
  };
}
