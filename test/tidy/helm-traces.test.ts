// Guarantee: every service of the chart sends its traces to the collector's path, once, and has the
// operator's headers and sampler.

import { tracesUrl } from "@annals/chassis";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { type Node, textOf, yamlOf } from "../../deploy/generate/sources.ts";

const CHART = "helm/annals";
const COMPLETE = "http://collector.observability:4318/v1/traces";

test("the path of traces is added once, to the base URL of the chart's example or to a complete URL", () => {
  const { otlpEndpoint } = yamlOf(`${CHART}/ci/full-values.yaml`);
  for (const given of [otlpEndpoint, `${otlpEndpoint}/`, COMPLETE, `${COMPLETE}/`]) {
    expect(tracesUrl(given)).toBe(COMPLETE);
  }
});

test("endpoint, headers and `otel` are in the environment of every process", () => {
  const template = textOf(`${CHART}/templates/_environment.tpl`);
  const every = /define "annals.processEnvironment"[^]*?define /.exec(template)?.[0] ?? "";
  expect(every).toContain("- name: ANNALS_OTLP_ENDPOINT\n  value: {{ . | quote }}");
  expect(every).toContain('"OTEL_EXPORTER_OTLP_HEADERS"');
  expect(every).toContain("range $env, $value := .root.Values.otel");
});

test("`otel` takes the variables of OpenTelemetry, and not those that the chart has a value for", () => {
  const schema = JSON.parse(textOf(`${CHART}/values.schema.json`)) as Node;
  const isValid = new Ajv().compile(schema["properties"].otel);
  expect(isValid({ OTEL_TRACES_SAMPLER: "always_on" })).toBe(true);
  for (const name of ["ANNALS_PORT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"]) {
    expect(isValid({ [name]: "x" })).toBe(false);
  }
});
