// What the check of an export found: what was recomputed, and what a file cannot show. Of a file that no
// browser checks, how it is verified.

import { html, type TemplateResult } from "lit/html.js";
import type { Report } from "annals-verify/browser";
import type { Check } from "../check/check-export.ts";
import { numberText, timeView } from "../parts/time.ts";
import { visible } from "../parts/visible.ts";

export function checkView({ name, report, fault }: Check): TemplateResult {
  if (report === undefined) {
    return html`<section class="error" aria-label="Result of the check">
      <p><span class="badge bad">differs</span> <strong class="text">${visible(name)}</strong></p>
      <p class="text">${visible(fault ?? "")}</p>
    </section>`;
  }
  const { manifest } = report;
  const missing = manifest.isFiltered
    ? "In order. Whether the filter left out more than it should cannot be seen in the file."
    : "No number is missing.";
  const unchecked =
    report.linksUnchecked === 0
      ? ""
      : `, ${numberText(report.linksUnchecked)} not: the event before is not in the file`;
  return html`<section class="good-news" aria-label="Result of the check">
    <p><span class="badge good">verified</span> <strong class="text">${visible(name)}</strong></p>
    <dl>
      <dt>Events</dt>
      <dd>${numberText(report.events)}, each hash and its digests recomputed in this browser</dd>
      <dt>Links</dt>
      <dd>${numberText(report.linksChecked)} checked${unchecked}</dd>
      ${erasedView(report)}
      <dt>Range</dt>
      <dd>${numberText(manifest.range.from)} to ${numberText(manifest.range.to)}. ${missing}</dd>
      <dt>Account</dt>
      <dd><code class="text">${visible(manifest.chain)}</code></dd>
      <dt>Created</dt>
      <dd>
        ${timeView(manifest.createdAt)} as <code class="text">${visible(manifest.exportId)}</code>
      </dd>
      <dt>Head of the chain at that time</dt>
      <dd><code class="breaks">${manifest.head.hash}</code></dd>
      <dt>SHA-256 of the file</dt>
      <dd><code class="breaks">${report.sha256}</code></dd>
    </dl>
  </section>`;
}

/** Empty if all parts are there, as in most files. */
function erasedView({ erasedParts, erasuresUnchecked }: Report): TemplateResult {
  if (erasedParts === 0) return html``;
  const recorded =
    erasuresUnchecked === 0
      ? "A later record of the file names each."
      : `The file has no record of ${numberText(erasuresUnchecked)} of them.`;
  return html`<dt>Erased parts</dt>
    <dd>${numberText(erasedParts)}. ${recorded}</dd>`;
}

/** A bundle is verified with a policy that its reader writes, which no page of the service should give. */
export function bundleView(name: string): TemplateResult {
  return html`<section class="good-news" aria-label="How to verify the bundle">
    <p>
      Download the bundle, write a policy with the key of the log and the witnesses that you trust,
      and run:
    </p>
    <p><code class="breaks">npx annals-verify --policy policy.txt ${name}</code></p>
    <p class="hint">
      It needs no network. Take the key from where the operator publishes it outside this service.
    </p>
  </section>`;
}

/** Shown for Parquet, which has no reader in the page. */
export function commandView(name: string): TemplateResult {
  return html`<section class="good-news" aria-label="How to verify the file">
    <p>Download the file, and run:</p>
    <p><code class="breaks">npx annals-verify ${name}</code></p>
    <p class="hint">It needs no network, and a file with proofs.</p>
  </section>`;
}
