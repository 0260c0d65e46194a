// Sinks with their states, and what is shown of one: its receiver, how far it is behind, and whether one that
// was just created works. Used by the screen of sinks and by the overview.

import type { Sink, SinkStatus, SinkTest } from "@annals/sdk";
import type { Routes } from "@annals/sdk/browser";
import { html, nothing, type TemplateResult } from "lit/html.js";
import { countText, durationText, numberText } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";

export interface Shown {
  readonly sink: Sink;
  readonly status: SinkStatus;
}

/** The state is asked for each sink on its own: an account has ten, unless its plan says more. */
export async function loadSinks(api: Routes, signal: AbortSignal): Promise<readonly Shown[]> {
  const sinks = await api.sinks.list({ signal }).toArray();
  return Promise.all(
    sinks.map(async (sink) => ({ sink, status: await api.sinks.status(sink.id, { signal }) })),
  );
}

/** A sink that was just created or changed, and what its receiver said to the test. */
export interface Trial {
  readonly id: string;
  readonly what: "created" | "changed";
  readonly test?: SinkTest;
}

/** Whether the sink works: what the receiver said, and what it was sent since. */
export function trialView(
  { id, test, what }: Trial,
  sinks: readonly Shown[],
): TemplateResult | undefined {
  const shown = sinks.find(({ sink }) => sink.id === id);
  if (shown === undefined) return undefined;
  const { sink, status } = shown;
  const isGood = test?.success !== false;
  return html`<div class=${isGood ? "good-news" : "error"}>
    <p><strong class="text">${visible(receiverOf(sink))}</strong></p>
    <ul>
      <li>The sink is ${what}.</li>
      <li>${testView(test)}</li>
      <li>${sentText(status)}</li>
    </ul>
  </div>`;
}

function testView(test: SinkTest | undefined): TemplateResult {
  if (test === undefined) return html`The receiver is sent a test.`;
  if (test.success) return html`The receiver has accepted the test.`;
  return html`The receiver has not accepted the test:
    <span class="text">${visible(test.error ?? "no reason is known")}</span>. Mend the cause, then
    press Test, or change the sink.`;
}

function sentText({ cursor, head, lag_events: lag, last_delivered_at: last }: SinkStatus): string {
  if (lag > 0) return `Still to be sent: ${numberText(lag)} of ${countText(head, "event")}.`;
  if (last === null) return "The next event is the first that is sent.";
  return `All events up to number ${numberText(cursor)} are sent.`;
}

export function receiverOf({ config }: Sink): string {
  if ("host" in config) return `${config.host}:${config.port}`;
  return "bucket" in config ? `${config.bucket}/${config.prefix}` : config.url;
}

export function stateView({ status }: Shown): TemplateResult {
  const kind = status.status === "active" ? "good" : status.status === "failing" ? "bad" : "";
  return html`<span class="badge ${kind}">${status.status}</span>
    ${status.last_error === null ? nothing : html`<p class="text">${visible(status.last_error)}</p>`}
    ${status.rejected === null ? nothing : html`<p>The receiver refuses event ${status.rejected.sequence_number}.</p>`}
    ${
      status.lost.length === 0
        ? nothing
        : html`<p>
            Never sent: ${countText(lostOf(status), "event")}, deleted by retention or skipped.
          </p>`
    }`;
}

export function lagView({ status }: Shown): TemplateResult {
  if (status.lag_events === 0) return html`<span>–</span>`;
  return html`${countText(status.lag_events, "event")}, ${durationText(status.lag_seconds)}`;
}

function lostOf({ lost }: SinkStatus): number {
  return lost.reduce(
    (sum, { from_sequence_number: from, to_sequence_number: to }) => sum + to - from + 1,
    0,
  );
}
