// How far the log of evidence covers the events, as the service says it. Used by evidence.ts and by the
// overview.

import { AnnalsError, type LogStatus } from "@annals/sdk";
import type { Routes } from "@annals/sdk/browser";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { numberText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";

/** Null if the service keeps no log. */
export async function loadLog(api: Routes, signal: AbortSignal): Promise<LogStatus | null> {
  try {
    return await api.log.get({ signal });
  } catch (error) {
    if (AnnalsError.is(error, "not_found")) return null;
    throw error;
  }
}

export function coveredView({ covered, size }: LogStatus): TemplateResult {
  if (covered === null) return html`No checkpoint covers these events yet.`;
  const { sequence_number: last, time, witnesses } = covered;
  const names = witnesses.map(({ name }) => name).join(", ");
  const count = `${numberText(witnesses.length)} ${witnesses.length === 1 ? "witness" : "witnesses"}`;
  return html`${numberText(last)} of ${numberText(size)} events are covered by a checkpoint of
  ${timeView(time)}${witnesses.length === 0 ? nothing : html`, seen by ${count}: <span class="text">${visible(names)}</span>`}.`;
}
