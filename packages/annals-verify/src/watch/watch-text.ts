// What `annals-verify watch` prints of a log that is as it was. Called by watch-command.ts. Texts that others
// chose hold no hidden character here, and what was not checked is always named.

import { escapeHidden, quoteVisibly } from "@annals/event";
import type { WatchReport } from "./watch-log.ts";

/** `state` is the name of the file that keeps the checkpoint. */
export function watchText(report: WatchReport, state: string): string {
  const { chain, checked, closed, covered, epoch, events, origin } = report;
  const epochs = `${number(checked)} ${checked === 1 ? "epoch" : "epochs"} checked`;
  const lines = [
    `origin ${escapeHidden(origin)} · account ${chain} · epoch ${epoch} of ${shown(closed)}`,
    `covered ${number(covered)} of ${number(events)} events · ${witnesses(report)}`,
    `${compared(report, state)} · ${epochs}, one head each`,
    ...unchecked(report).map((text) => `not checked: ${text}`),
  ];
  return `${lines.join("\n")}\n`;
}

function witnesses({ closed, witnesses: seen, witnessesInPolicy }: WatchReport): string {
  const count = `seen by ${seen.length} of ${witnessesInPolicy} witnesses`;
  const each = seen.map(({ time, witness }) => {
    const text = shown(new Date(time * 1000).toISOString());
    // The day is in the line above.
    const isSameDay = text.slice(0, 10) === closed.slice(0, 10);
    return `${escapeHidden(witness)} ${isSameDay ? text.slice(11) : text}`;
  });
  return each.length === 0 ? count : `${count}: ${each.join(", ")}`;
}

function compared({ before, origin }: WatchReport, state: string): string {
  const name = escapeHidden(state);
  if (before === undefined) return `first checkpoint in ${name}`;
  const of = before.origin === origin ? "" : ` of ${escapeHidden(before.origin)}`;
  return `consistent with epoch ${before.epoch}${of} of ${name}`;
}

function unchecked({ hasQuorum, uncounted, unread }: WatchReport): string[] {
  return [
    ...(hasQuorum ? [] : ["when anything was seen, for the policy has quorum none"]),
    ...uncounted.map((name) => `cosignatures of ${quoteVisibly(name)} that count for nothing here`),
    ...unread.map(({ why, witness }) => `what ${quoteVisibly(witness)} has seen: ${why}`),
  ];
}

function number(value: number): string {
  return value.toLocaleString("en");
}

/** A time in UTC to the second. */
function shown(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}
