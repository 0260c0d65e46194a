// What annals-verify prints of a bundle that is valid. Called by evidence-command.ts. Texts of the bundle are
// quoted, and what was not checked is always named.

import { quoteVisibly } from "@annals/event";
import type { EvidenceReport } from "./verify-evidence.ts";

export function evidenceText(report: EvidenceReport, seconds: number): string {
  const { bundle, events, size } = report;
  const what = bundle.isFiltered ? "filtered" : "whole";
  const lines = [
    `valid: ${events} events of ${quoteVisibly(bundle.chain)}, sequence numbers ${bundle.from} to ${bundle.to} (${what})`,
    `  log       ${quoteVisibly(bundle.origin)}${followed(report)}`,
    `  tree      ${size} events, every event at its place`,
    `  erased    ${erased(report)}`,
    `  heads     ${heads(report)}`,
    `  witnesses ${witnesses(report)}`,
    `  anchored  ${anchored(report)}`,
    `  known     ${report.known === 0 ? "no checkpoint was given" : `the bundle continues all ${report.known} given`}`,
    ...unchecked(report).map((text) => `  unchecked ${text}`),
    `  took      ${seconds.toFixed(1)} s`,
  ];
  return `${lines.join("\n")}\n`;
}

function followed({ earlierOrigins }: EvidenceReport): string {
  return earlierOrigins.length === 0
    ? ""
    : `, which follows ${earlierOrigins.map(quoteVisibly).join(", ")}`;
}

function erased({ erasedParts, records }: EvidenceReport): string {
  return erasedParts === 0
    ? "0 parts"
    : `${erasedParts} parts, each named by one of ${records} records`;
}

function heads({ heads: all }: EvidenceReport): string {
  const [first] = all;
  const last = all.at(-1);
  const times = [first?.time, last?.time].map(shown);
  return `${all.length}, of epochs ${first?.epoch} to ${last?.epoch}, seen from ${times[0]} to ${times[1]}`;
}

function witnesses(report: EvidenceReport): string {
  const seen = report.witnesses.map(
    ({ time, witness }) => `${quoteVisibly(witness)} ${shown(time)}`,
  );
  return seen.length === 0 ? "0 have seen the last head" : seen.join(", ");
}

function anchored({ anchoredBy, excepted, unanchored, waited }: EvidenceReport): string {
  if (anchoredBy === undefined)
    return `${unanchored} events are not anchored: neither a witness nor a time stamp gives a time`;
  const longest =
    waited === undefined
      ? `by ${anchoredBy}`
      : `by ${anchoredBy}; the longest wait is ${Math.ceil(waited.longest)} s, of sequence number ${waited.sequenceNumber}`;
  const older = excepted === 0 ? "" : `; ${excepted} events are older than the log`;
  return `${longest}${older}${unanchored === 0 ? "" : `; ${unanchored} events are not anchored`}`;
}

function unchecked(report: EvidenceReport): string[] {
  const { anchoredBy, linksUnchecked, stamps, uncounted } = report;
  return [
    ...(anchoredBy === "witnesses"
      ? []
      : ["whether the log is as old as it says: that takes witnesses, who saw its epoch 1"]),
    ...(linksUnchecked > 0 ? [`${linksUnchecked} links over gaps of the filter`] : []),
    ...(stamps.unchecked > 0
      ? [`${stamps.unchecked} time stamps: --tsa-ca names no authority`]
      : []),
    ...uncounted.map((name) => `cosignatures of ${quoteVisibly(name)} that count for nothing here`),
  ];
}

function shown(seconds: number | undefined): string {
  return seconds === undefined ? "an unknown time" : new Date(seconds * 1000).toISOString();
}
