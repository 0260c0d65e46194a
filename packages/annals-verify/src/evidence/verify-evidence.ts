// Verifies a bundle of evidence, offline: the seven steps in their order, of which the first fault decides.
// Called by evidence-command.ts. It needs the bundle, and what the caller trusts; it never asks a service.

import { Erasures } from "@annals/event";
import type { Policy } from "@annals/tlog";
import type { X509Certificate } from "node:crypto";
import { CheckPool } from "../check-pool.ts";
import { type Anchor, Anchoring, type Waited } from "./anchoring.ts";
import { walkEvents } from "./bundle-events.ts";
import { BundleFiles, EVENTS } from "./bundle-files.ts";
import { type BundleHeads, bundleHeads } from "./bundle-heads.ts";
import type { BundleJson } from "./bundle-json.ts";
import { BundleTree } from "./bundle-tree.ts";
import { eventChecks } from "./check-events.ts";
import { EvidenceFault } from "./evidence-fault.ts";
import { checkKnown, readKnown } from "./known-checkpoints.ts";
import { readStamps, stampedTime } from "./timestamps.ts";
import { readAuthorities, readPolicy } from "./trust.ts";
import { accountKeys, trustedNote } from "./trusted-keys.ts";

export interface EvidenceOptions {
  /** A policy (c2sp.org/tlog-policy): the logs and witnesses that the caller trusts. */
  readonly policy: Uint8Array;
  /** The path of the events of an archive, whose bundle has none: a text, or the text in one zstd frame. */
  readonly events?: string | undefined;
  /** Signed checkpoints of the account that the caller kept. */
  readonly known?: readonly Uint8Array[];
  /** Seconds from an event until it is anchored; DEFAULT_MAX_LAG_S by default. */
  readonly maxAnchorLag?: number | undefined;
  /** Certificates in PEM of authorities of time stamps; without them time stamps are not checked. */
  readonly timestampAuthorities?: Uint8Array | undefined;
  /** Called now and then with the bytes of the files that were hashed. */
  readonly onProgress?: (done: number) => void;
}

/** A head of the account that the log signed. */
export interface ReportedHead {
  readonly epoch: number;
  /** Events that it covers. */
  readonly size: number;
  /** Since when a quorum has seen it, in seconds since 1970. */
  readonly time: number | undefined;
}

export interface EvidenceReport {
  readonly bundle: BundleJson;
  readonly events: number;
  readonly linksUnchecked: number;
  readonly erasedParts: number;
  readonly records: number;
  /** Events of the account's tree. */
  readonly size: number;
  readonly heads: readonly ReportedHead[];
  /** Logs that signed known checkpoints, other than the bundle's: it follows them. */
  readonly earlierOrigins: readonly string[];
  readonly known: number;
  /** Names of witnesses within the policy that have seen the last head, with seconds since 1970. */
  readonly witnesses: readonly { readonly witness: string; readonly time: number }[];
  /** Witnesses whose cosignatures count for nothing here. */
  readonly uncounted: readonly string[];
  readonly anchoredBy: "witnesses" | "time stamps" | undefined;
  /** Events that are older than the log, or than the log that it follows. */
  readonly excepted: number;
  readonly unanchored: number;
  readonly waited: Waited | undefined;
  readonly stamps: { readonly checked: number; readonly unchecked: number };
}

export const DEFAULT_MAX_LAG_S = 26 * 3600;

/**
 * Rejects with EvidenceFault for the first fault, with NotChecked if the caller's files cannot be used, and
 * with the system's error if the bundle cannot be read.
 */
export async function verifyEvidence(
  path: string,
  options: EvidenceOptions,
): Promise<EvidenceReport> {
  using files = new BundleFiles(path, options.events);
  const { bundle } = files;
  const policy = readPolicy(options.policy);
  const authorities = readAuthorities(options.timestampAuthorities);
  const known = (options.known ?? []).map((bytes) =>
    readKnown(Buffer.from(bytes), policy, bundle.chain),
  );
  await files.check(options.onProgress ?? (() => {}));
  const keys = accountKeys(policy, bundle.origin, bundle.chain);
  const { checkpoint } = trustedNote(files.read("checkpoint"), keys, [], "checkpoint");
  const tree = new BundleTree(files, checkpoint);
  tree.check();
  const heads = await settled(bundleHeads(files, policy, checkpoint));
  const anchors = settledAnchors(files, policy, authorities, heads);
  const earlier = known.filter(({ origin }) => origin !== checkpoint.origin);
  const exceptedThrough = Math.max(anchors.olderThanLog, ...earlier.map(({ size }) => size));
  const maxLag = options.maxAnchorLag ?? DEFAULT_MAX_LAG_S;
  const anchoring = new Anchoring(anchors.anchors, exceptedThrough, maxLag);
  const erasures = new Erasures();
  await using pool = new CheckPool(eventChecks(), "evidence", files.sizeOf(EVENTS));
  const walk = await walkEvents(files, tree, pool, (event) => {
    erasures.take(event);
    anchoring.take(event);
  });
  checkErasures(erasures);
  if (heads.fault !== undefined) throw heads.fault;
  if (anchors.fault !== undefined) throw anchors.fault;
  // They except events from step 6, so they come before it.
  for (const each of earlier) checkKnown(each, tree);
  anchoring.check();
  for (const each of known) checkKnown(each, tree);
  return {
    bundle,
    ...walk,
    erasedParts: erasures.erasedParts,
    records: erasures.records,
    size: checkpoint.size,
    heads: (heads.value?.heads ?? []).map(({ epoch, size, time }) => ({ epoch, size, time })),
    earlierOrigins: [...new Set(earlier.map(({ origin }) => origin))],
    known: known.length,
    witnesses: heads.value?.heads.at(-1)?.cosignatures ?? [],
    uncounted: [...(heads.value?.uncounted ?? [])],
    anchoredBy: anchors.by,
    excepted: anchoring.excepted,
    unanchored: anchoring.unanchored,
    waited: anchoring.waited,
    stamps: anchors.stamps,
  };
}

interface Settled {
  readonly value?: BundleHeads;
  readonly fault?: EvidenceFault;
}

/** Heads are read before the events, whose faults come first. */
async function settled(heads: Promise<BundleHeads>): Promise<Settled> {
  try {
    return { value: await heads };
  } catch (error) {
    if (error instanceof EvidenceFault) return { fault: error };
    throw error;
  }
}

interface Anchors {
  readonly anchors: readonly Anchor[];
  readonly by: EvidenceReport["anchoredBy"];
  /** What epoch 1 covers is older than the log. It must have a time, or a rewriting could claim that. */
  readonly olderThanLog: number;
  readonly stamps: EvidenceReport["stamps"];
  readonly fault?: EvidenceFault;
}

/** The heads with the times at which they were seen: by a quorum, or by a token if the policy has none. */
function settledAnchors(
  files: BundleFiles,
  policy: Policy,
  authorities: readonly X509Certificate[],
  heads: Settled,
): Anchors {
  const isByWitnesses = policy.quorum !== undefined;
  try {
    const stamps = readStamps(files, policy, authorities);
    const checked = authorities.length === 0 ? 0 : stamps.length;
    const all = heads.value?.heads ?? [];
    const times = all.map((head) => (isByWitnesses ? head.time : stampedTime(head, stamps)));
    const anchors = all.flatMap(({ size }, at) => {
      const time = times[at];
      return time === undefined ? [] : [{ size, time }];
    });
    const byStamps = anchors.length > 0 ? "time stamps" : undefined;
    const [first] = all;
    return {
      anchors,
      olderThanLog: first?.epoch === 1 && times[0] !== undefined ? first.size : 0,
      by: isByWitnesses ? "witnesses" : byStamps,
      stamps: { checked, unchecked: stamps.length - checked },
    };
  } catch (error) {
    if (!(error instanceof EvidenceFault)) throw error;
    const stamps = { checked: 0, unchecked: 0 };
    return { anchors: [], by: undefined, olderThanLog: 0, stamps, fault: error };
  }
}

/** Step 4: each erased part is named by a later record of the chain. */
function checkErasures({ unrecorded }: Erasures): void {
  if (unrecorded === undefined) return;
  const { part, sequenceNumber } = unrecorded;
  throw new EvidenceFault(
    "erasure_unrecorded",
    `sequence number ${sequenceNumber}: ${part} is erased, and no later record says so`,
  );
}
