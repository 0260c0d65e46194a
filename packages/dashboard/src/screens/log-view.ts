// How far the log of evidence covers the events, as the service says it. Shown by the verification screen,
// for an account whose service keeps a log.

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

export function logView(log: LogStatus): TemplateResult {
  return html`<section aria-labelledby="evidence-log">
    <h2 id="evidence-log">Evidence log</h2>
    <p>${coveredView(log)}</p>
    <p class="hint">
      The service says this. To check it, run <code>annals-verify watch</code> with the key of
      <code class="text">${visible(log.log_origin)}</code> that the operator publishes.
    </p>
  </section>`;
}

export function coveredView({ covered, size }: LogStatus): TemplateResult {
  if (covered === null) return html`No checkpoint covers these events yet.`;
  const { sequence_number: last, time, witnesses } = covered;
  const names = witnesses.map(({ name }) => name).join(", ");
  const count = `${numberText(witnesses.length)} ${witnesses.length === 1 ? "witness" : "witnesses"}`;
  return html`${numberText(last)} of ${numberText(size)} events are covered by a checkpoint of
  ${timeView(time)}${witnesses.length === 0 ? nothing : html`, seen by ${count}: <span class="text">${visible(names)}</span>`}.`;
}
