// Redocly and Spectral find nothing in /openapi.json, not even a warning: every example fits its schema,
// every operation has a tag, a summary and its failures, and so on. Their rules are in redocly.yaml and
// spectral.ts.

import { HttpClient } from "@annals/testing";
import { lintFromString, loadConfig } from "@redocly/openapi-core";
import core from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import type { Json } from "../../system/openapi-document.ts";
import { SPECTRAL_RULES } from "./spectral.ts";

/** Spectral takes seconds, and many on a machine that does other things. */
const TIMEOUT_MS = 180_000;

const document: Json = (await new HttpClient(inject("stack").baseUrl).get("/openapi.json")).body;

async function redocly(given: Json): Promise<string[]> {
  const config = await loadConfig({ configPath: join(import.meta.dirname, "redocly.yaml") });
  const problems = await lintFromString({ source: JSON.stringify(given), config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

async function spectral(given: Json): Promise<string[]> {
  const linter = new core.Spectral();
  linter.setRuleset(SPECTRAL_RULES);
  const found = await linter.run(new core.Document(JSON.stringify(given), parsers.Json));
  return found.map(({ code, message, path }) => `${code}: ${message} (${path.join("/")})`);
}

/** With an example that does not fit, and an operation without a tag. */
function worse(): Json {
  const changed = structuredClone(document);
  const path = "/v1/events";
  changed.paths = { [path]: changed.paths[path] };
  const { post } = changed.paths[path];
  post.requestBody.content["application/json"].example = { action: 7 };
  delete post.tags;
  delete post.summary;
  return changed;
}

test.each([
  ["Redocly", redocly, ["no-invalid-media-type-examples", "operation-summary"]],
  ["Spectral", spectral, ["oas3-valid-media-example", "operation-tags"]],
])("%s", { timeout: TIMEOUT_MS }, async (_, lint, wanted) => {
  expect(await lint(document)).toEqual([]);
  const rules = (await lint(worse())).map((one) => one.split(":")[0]);
  expect(rules).toEqual(expect.arrayContaining(wanted));
});
