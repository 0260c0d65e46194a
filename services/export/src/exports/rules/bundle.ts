// The texts of a bundle of evidence besides its events (docs/evidence.md): a line of heads.jsonl, the policy
// of a log without one, and bundle.json. Called by the writer of bundles.

export interface HeadLine {
  readonly epoch: bigint;
  readonly entry: string;
  /** The record in canonical JSON. */
  readonly head: string;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: string;
  readonly inclusion: readonly Uint8Array[];
  readonly consistency: readonly Uint8Array[];
}

export function headLine(line: HeadLine): string {
  const { checkpoint, consistency, entry, epoch, head, inclusion, path } = line;
  return (
    `{"epoch":${epoch},"entry":${JSON.stringify(entry)},"head":${head},"path":${hashList(path)}` +
    `,"checkpoint":${JSON.stringify(checkpoint)},"inclusion":${hashList(inclusion)}` +
    `,"consistency":${hashList(consistency)}}\n`
  );
}

function hashList(hashes: readonly Uint8Array[]): string {
  return `[${hashes.map((hash) => `"${Buffer.from(hash).toString("hex")}"`).join(",")}]`;
}

/** What the operator says of the log. A verifier never takes it from the bundle. */
export function policyText(policy: string, vkeys: readonly string[]): string {
  if (policy !== "") return policy;
  return `${vkeys.map((vkey) => `log ${vkey}\n`).join("")}quorum none\n`;
}

export interface BundleFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

interface Bundle {
  /** The name of the head log. */
  readonly origin: string;
  readonly chain: string;
  /** The JSON text of the filter as the client sent it. */
  readonly filterJson: string;
  readonly createdAt: string;
  readonly from: bigint;
  /** The end of the range that the filter and the head allow. */
  readonly end: bigint;
  /** The last event that may be there. Behind the range only events of the service are. */
  readonly to: bigint;
  readonly files: readonly BundleFile[];
  /** The events of a bundle that does not have them: its text. */
  readonly events?: Omit<BundleFile, "name"> | undefined;
}

export function bundleJson(bundle: Bundle): string {
  const { chain, createdAt, events, files, from, origin, to } = bundle;
  const listed = files.map(
    ({ name, sha256, size }) => `${JSON.stringify(name)}:{"sha256":"${sha256}","size":${size}}`,
  );
  return (
    `{"v":1,"kind":"annals-evidence","origin":${JSON.stringify(origin)},"chain":${JSON.stringify(chain)}` +
    `,"filter":${filterOf(bundle)},"created_at":"${createdAt}"` +
    `,"from_sequence":${from},"to_sequence":${to}` +
    (events ? `,"events":{"sha256":"${events.sha256}","size":${events.size}}` : "") +
    `,"files":{${listed.join(",")}}}\n`
  );
}

/**
 * The range has members of its own. Without another filter every event of it must be there, so a bundle with
 * records behind its range has the end of the range as a filter.
 */
function filterOf({ end, filterJson, to }: Bundle): string {
  const { after_sequence: _after, before_sequence: _before, ...filter } = JSON.parse(filterJson);
  return JSON.stringify(to > end ? { ...filter, before_sequence: Number(end) + 1 } : filter);
}
