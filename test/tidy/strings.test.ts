// Guarantee: strings.md has every text that the product shows to a person, by its kind. So a change of a
// message, a log line, a description or a help text is seen in review. `npm run check` fails if it is stale.

import { expect, test } from "vitest";
import { stringsPage } from "../../deploy/generate/strings.ts";

test.each([
  [
    "Errors of the API",
    'throw invalid({ field: "a", message: "must be a name" });',
    "must be a name",
  ],
  ["Other errors", "throw new Error(`no port is free: ${port}`);", "no port is free: …"],
  ["Other errors", 'throw new TypeError("one part " + "and another");', "one part and another"],
  ["Log lines", 'this.#log.warn({ reason }, "cannot read it");', "cannot read it"],
  ["Log lines", 'log.info("ready");', "ready"],
  ["API descriptions", 'const a = { id: text({ description: "The name." }) };', "`id`: The name."],
  [
    "Metrics",
    'new Gauge({ name: "annals_a", help: "Items that wait." });',
    "`annals_a`: Items that wait.",
  ],
  ["Screens", 'html`<p title="Its title">One <b>sentence</b>.</p>`', "One sentence."],
  ["Screens", 'html`<p title="Its title">One <b>sentence</b>.</p>`', "Its title"],
  ["Other texts", 'return "is not valid";', "is not valid"],
])("%s: %s", (kind, code, text) => {
  const page = stringsPage([{ path: "services/keys/src/one.ts", text: code }]);
  expect(sectionOf(page, kind)).toContain(`- ${text}\n`);
});

test.each([
  'import { one } from "a b c";',
  'const sql = "/* keys.list */ SELECT id FROM keys.accounts";',
  'type Name = "a name of type";',
])("no text: %s", (code) => {
  expect(stringsPage([{ path: "services/keys/src/one.ts", text: code }])).not.toMatch(/^- /m);
});

function sectionOf(page: string, kind: string): string {
  return page.split(`## ${kind}\n`)[1]?.split(/^## /m)[0] ?? "";
}
