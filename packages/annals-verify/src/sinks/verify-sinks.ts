// Verifies the objects that sinks have written to a bucket, there or in a folder with a copy of it: the chain
// of the manifests of each sink, each object against its manifest, and the links between objects. Called by
// sink-command.ts. It lists all faults that it finds, so that they can be repaired by one replay, and what it
// could not read. It must never call a manifest missing that may be one of those. It cannot see that the
// newest objects are gone: the status of the sink says where it is.

import { quoteVisibly } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { checkObject, demandZstd } from "./check-object.ts";
import { Findings } from "./findings.ts";
import type { SinkFile, SinkFiles } from "./sink-files.ts";
import { readSinkManifest, type SinkManifest } from "./sink-manifest.ts";

const SUFFIX = ".manifest.json";
const OBJECT_SUFFIX = ".jsonl.zst";
/** What a query reads: the folders of a day. */
const IN_A_DAY = /\/annals\/v1\/account=[^/]+\/day=[^/]+\/(.*)$/s;
const BELONGS = /^\d+-\d+(?:\.r[1-9]\d*)?\.jsonl\.zst(?:\.manifest\.json)?$/;
const MAX_MANIFEST_BYTES = 64 * 1024;

/** What was found of one sink and one chain. */
export interface SinkReport {
  readonly chain: string;
  readonly sink: string;
  /** Number of the newest manifest. */
  readonly newest: number;
  readonly from: number;
  readonly to: number;
  readonly objects: number;
  readonly events: number;
  readonly recomputed: number;
  readonly linksChecked: number;
  /** Links to events that are not there, because a filter left them out or they are gone. */
  readonly linksUnchecked: number;
}

export interface SinksReport {
  readonly sinks: readonly SinkReport[];
  readonly findings: Findings;
  /** Names of objects of batches that were interrupted. Nothing in them is checked. */
  readonly withoutManifest: readonly string[];
}

/** Manifests that could not be read, whose numbers and sinks are therefore unknown. */
interface Unread {
  readonly manifests: number;
  /** Those that may still be one of the manifests that are not there. */
  left: number;
}

interface Context {
  readonly findings: Findings;
  readonly unread: Unread;
}

interface Found {
  /** Undefined for an object that is missing. */
  readonly object: SinkFile | undefined;
  /** Name of the object. */
  readonly name: string;
  readonly manifest: SinkManifest;
}

/** Rejects with NotChecked if there is no manifest, and as the reading of files does. */
export async function verifySinks(
  { list, name }: SinkFiles,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<SinksReport> {
  const files = new Map((await list()).map((file) => [file.name, file]));
  const names = [...files.keys()].toSorted();
  const manifests = names.filter((each) => each.endsWith(OBJECT_SUFFIX + SUFFIX));
  if (manifests.length === 0)
    throw new NotChecked(`${quoteVisibly(name)} has no manifest of a sink`);
  demandZstd();
  const findings = new Findings();
  for (const { name: each, path, size } of files.values()) {
    const [, inDay] = IN_A_DAY.exec(path) ?? [];
    // Some programs make an empty object for a folder.
    const isFolder = inDay === "" && size === 0;
    if (inDay !== undefined && !isFolder && !BELONGS.test(inDay))
      findings.faults.add(`${quoteVisibly(each)} does not belong to the objects of a sink`);
  }
  const found: Found[] = [];
  for (const each of manifests) {
    const manifest = await checking(findings, each, () => readManifest(files.get(each)));
    const object = each.slice(0, -SUFFIX.length);
    if (manifest) found.push({ object: files.get(object), name: object, manifest });
  }
  const unread: Unread = { manifests: findings.unread.count, left: findings.unread.count };
  const sinks = Map.groupBy(found, ({ manifest }) => `${manifest.sink} ${manifest.chain}`);
  const reports: SinkReport[] = [];
  let done = 0;
  for (const own of sinks.values()) {
    const onObject = (): void => onProgress((done += 1), found.length);
    reports.push(await verifySink(own, { findings, unread }, onObject));
  }
  const objects = names.filter((each) => each.endsWith(OBJECT_SUFFIX));
  const withoutManifest = objects.filter((each) => !files.has(each + SUFFIX));
  return { sinks: reports, findings, withoutManifest };
}

async function readManifest(file: SinkFile | undefined): Promise<SinkManifest> {
  if (file === undefined) throw new BadLine("is missing");
  if (file.size > MAX_MANIFEST_BYTES)
    throw new BadLine(`has more than ${MAX_MANIFEST_BYTES} bytes`);
  const manifest = readSinkManifest(await file.read());
  if (!file.path.endsWith(`/${manifest.object}${SUFFIX}`))
    throw new BadLine(`is that of another object, ${quoteVisibly(manifest.object)}`);
  return manifest;
}

async function verifySink(
  found: readonly Found[],
  context: Context,
  onObject: () => void,
): Promise<SinkReport> {
  const ordered = found.toSorted((one, other) => one.manifest.number - other.manifest.number);
  const manifests = ordered.map(({ manifest }) => manifest);
  const [first] = manifests;
  const last = manifests.at(-1);
  if (!first || !last) throw new Error("a sink without a manifest");
  checkNumbers(manifests, context);
  const sums = { objects: 0, events: 0, recomputed: 0, linksChecked: 0, linksUnchecked: 0 };
  for (const { manifest, name, object } of ordered) {
    const checked = await checking(context.findings, name, async () => {
      if (!object) throw new BadLine("is missing");
      return await checkObject(object, manifest);
    });
    onObject();
    if (!checked) continue;
    sums.objects += 1;
    sums.events += checked.events;
    sums.recomputed += checked.recomputed;
    sums.linksChecked += checked.linksChecked;
    sums.linksUnchecked += checked.linksUnchecked;
  }
  const links = checkLinks(manifests, context);
  const { chain, sink } = first;
  return {
    chain,
    sink,
    newest: last.number,
    from: manifests.reduce((least, { from }) => Math.min(least, from), Infinity),
    to: manifests.reduce((most, { to }) => Math.max(most, to), 0),
    ...sums,
    linksChecked: sums.linksChecked + links.checked,
    linksUnchecked: sums.linksUnchecked + links.unchecked,
  };
}

/**
 * Adds a fault for each number without a manifest, and for each manifest that does not name one of the number
 * before. A number has several manifests if a batch was interrupted and cut otherwise when it was sent
 * again: the next one names the one that counts. What an unread manifest may explain is not a fault.
 */
function checkNumbers(manifests: readonly SinkManifest[], { findings, unread }: Context): void {
  const byNumber = Map.groupBy(manifests, ({ number }) => number);
  const label = ({ chain, sink }: SinkManifest): string => `${sink} of ${chain}`;
  let before: readonly SinkManifest[] = [];
  let expected = 1;
  for (const [number, own] of byNumber) {
    const [one] = own;
    if (!one) continue;
    if (number > expected) {
      const after =
        before.length === 0 ? "" : `, after event ${before.map(({ to }) => to).join(" or ")}`;
      const missing =
        number - 1 === expected
          ? `manifest ${expected} is`
          : `manifests ${expected} to ${number - 1} are`;
      const isUnread = number - expected <= unread.left;
      if (isUnread) unread.left -= number - expected;
      const what = isUnread ? "missing or could not be read" : "missing";
      const to = isUnread ? findings.unread : findings.faults;
      to.add(`${label(one)}: ${missing} ${what}${after}, before event ${one.from}`);
    } else if (number > 1 && !isNamed(before, own)) {
      const what = `${label(one)}: manifest ${number - 1} is not the one that manifest ${number} names`;
      if (unread.manifests === 0) findings.faults.add(`${what}: it was changed or swapped`);
      else findings.unread.add(`${what}: that may be one that could not be read`);
    }
    before = own;
    expected = number + 1;
  }
}

function isNamed(before: readonly SinkManifest[], by: readonly SinkManifest[]): boolean {
  const digests = new Set<string | null>(before.map(({ own }) => own));
  return by.some(({ previous }) => digests.has(previous));
}

/** Checks the links between objects, wherever one begins with the number after the end of another. */
function checkLinks(
  manifests: readonly SinkManifest[],
  { findings }: Context,
): { readonly checked: number; readonly unchecked: number } {
  const lastHashes = new Map(manifests.map(({ lastHash, to }) => [to, lastHash]));
  let [checked, unchecked] = [0, 0];
  for (const { chain, firstPreviousHash, from, sink } of manifests) {
    // The link of the first event of a chain is checked in its object.
    if (from === 1) continue;
    const hash = lastHashes.get(from - 1);
    if (hash === undefined) unchecked += 1;
    else if (hash === firstPreviousHash) checked += 1;
    else
      findings.faults.add(`${sink} of ${chain}: event ${from} does not link to event ${from - 1}`);
  }
  return { checked, unchecked };
}

/** Runs a check of a file of this name, and adds what is wrong with it, or why it cannot be read. */
async function checking<Value>(
  { faults, unread }: Findings,
  name: string,
  check: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await check();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof BadLine) faults.add(`${quoteVisibly(name)} ${message}`);
    else if (error instanceof NotChecked || code !== undefined)
      unread.add(`${quoteVisibly(name)} cannot be read (${code ?? message})`);
    else throw error;
    return undefined;
  }
}
