// Verifies the objects that sinks have written to a bucket, there or in a folder with a copy of it: the chain
// of the manifests of each sink, each object against its manifest, and the links between objects. Called by
// sink-command.ts. It lists all faults that it finds, so that they can be repaired by one replay. It cannot
// see that the newest objects are gone: the status of the sink says where it is.

import { quoteVisibly } from "@annals/event";
import { BadLine } from "../bad-line.ts";
import { NotChecked } from "../evidence/evidence-fault.ts";
import { checkObject } from "./check-object.ts";
import type { SinkFile, SinkFiles } from "./sink-files.ts";
import { readSinkManifest, type SinkManifest } from "./sink-manifest.ts";

const SUFFIX = ".manifest.json";
const OBJECT_SUFFIX = ".jsonl.zst";
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
  readonly faults: readonly string[];
  /** Objects of batches that were interrupted, and sent again under other names. */
  readonly withoutManifest: number;
}

interface Found {
  /** Undefined for an object that is missing. */
  readonly object: SinkFile | undefined;
  /** Name of the object. */
  readonly name: string;
  readonly manifest: SinkManifest;
}

/** Rejects with NotChecked where there is no manifest, and as the reading of files does. */
export async function verifySinks(
  { list, name }: SinkFiles,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<SinksReport> {
  const files = new Map((await list()).map((file) => [file.name, file]));
  const names = [...files.keys()].toSorted();
  const manifests = names.filter((each) => each.endsWith(OBJECT_SUFFIX + SUFFIX));
  if (manifests.length === 0)
    throw new NotChecked(`${quoteVisibly(name)} has no manifest of a sink`);
  const faults: string[] = [];
  const found: Found[] = [];
  for (const each of manifests) {
    const manifest = await faulty(faults, each, () => readManifest(files.get(each)));
    const object = each.slice(0, -SUFFIX.length);
    if (manifest) found.push({ object: files.get(object), name: object, manifest });
  }
  const sinks = Map.groupBy(found, ({ manifest }) => `${manifest.sink} ${manifest.chain}`);
  const reports: SinkReport[] = [];
  let done = 0;
  for (const own of sinks.values()) {
    const onObject = (): void => onProgress((done += 1), found.length);
    reports.push(await verifySink(own, faults, onObject));
  }
  const objects = names.filter((each) => each.endsWith(OBJECT_SUFFIX));
  const withoutManifest = objects.filter((each) => !files.has(each + SUFFIX)).length;
  return { sinks: reports, faults, withoutManifest };
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
  faults: string[],
  onObject: () => void,
): Promise<SinkReport> {
  const ordered = found.toSorted((one, other) => one.manifest.number - other.manifest.number);
  const manifests = ordered.map(({ manifest }) => manifest);
  const [first] = manifests;
  const last = manifests.at(-1);
  if (!first || !last) throw new Error("a sink without a manifest");
  checkNumbers(manifests, faults);
  const sums = { objects: 0, events: 0, recomputed: 0, linksChecked: 0, linksUnchecked: 0 };
  for (const { manifest, name, object } of ordered) {
    const checked = await faulty(faults, name, async () => {
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
  const links = checkLinks(manifests, faults);
  const { chain, sink } = first;
  return {
    chain,
    sink,
    newest: last.number,
    from: Math.min(...bounds(manifests, "from")),
    to: Math.max(...bounds(manifests, "to")),
    ...sums,
    linksChecked: sums.linksChecked + links.checked,
    linksUnchecked: sums.linksUnchecked + links.unchecked,
  };
}

/**
 * Adds a fault for each number without a manifest, and for each manifest that does not name one of the number
 * before. A number has several manifests where a batch was interrupted and cut otherwise when it was sent
 * again: the next one names the one that counts.
 */
function checkNumbers(manifests: readonly SinkManifest[], faults: string[]): void {
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
      faults.push(`${label(one)}: ${missing} missing${after}, before event ${one.from}`);
    } else if (
      number > 1 &&
      !own.some(({ previous }) => before.some((each) => each.own === previous))
    ) {
      faults.push(
        `${label(one)}: manifest ${number - 1} is not the one that manifest ${number} names: it was changed or swapped`,
      );
    }
    before = own;
    expected = number + 1;
  }
}

/** Checks the links between objects, wherever one begins with the number after the end of another. */
function checkLinks(
  manifests: readonly SinkManifest[],
  faults: string[],
): { readonly checked: number; readonly unchecked: number } {
  const lastHashes = new Map(manifests.map(({ lastHash, to }) => [to, lastHash]));
  let [checked, unchecked] = [0, 0];
  for (const { chain, firstPreviousHash, from, sink } of manifests) {
    // The link of the first event of a chain is checked in its object.
    if (from === 1) continue;
    const hash = lastHashes.get(from - 1);
    if (hash === undefined) unchecked += 1;
    else if (hash === firstPreviousHash) checked += 1;
    else faults.push(`${sink} of ${chain}: event ${from} does not link to event ${from - 1}`);
  }
  return { checked, unchecked };
}

function bounds(manifests: readonly SinkManifest[], name: "from" | "to"): number[] {
  return manifests.map((manifest) => manifest[name]);
}

/** Runs a check of a file of this name, and adds what is wrong with it to the faults. */
async function faulty<Value>(
  faults: string[],
  name: string,
  check: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    faults.push(`${quoteVisibly(name)} ${error.message}`);
    return undefined;
  }
}
