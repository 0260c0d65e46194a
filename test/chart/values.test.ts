// Guarantee: the values, the examples and the schema of the chart fit each other and the code, whether helm
// is there or not. What may be set is described, what the templates set is a setting, and what an example
// names is there.

import { tracesUrl } from "@annals/chassis";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { chartReadme } from "../../deploy/generate/chart-readme.ts";
import { CHART } from "../../deploy/generate/chart-renderings.ts";
import {
  FILES,
  matches,
  METRICS,
  type Node,
  SERVICES,
  settingsOf,
  textOf,
  yamlOf,
} from "../../deploy/generate/sources.ts";

const SCHEMA = JSON.parse(textOf(`${CHART}/values.schema.json`)) as Node;
const VALUES = yamlOf(`${CHART}/values.yaml`);
/** Each is given beside the values. */
const GIVEN = FILES.map(({ path }) => path).filter(
  (path) =>
    /^helm\/annals\/(ci\/|production-|examples\/(monitoring|autoscaling|keda|cloudnativepg)\.)|^test\/chart\//.test(
      path,
    ) && path.endsWith(".yaml"),
);

test.each([undefined, ...GIVEN])("the schema describes the values, with %s", (path) => {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(SCHEMA);
  validate(path === undefined ? VALUES : merged(VALUES, yamlOf(path)));
  expect(validate.errors ?? []).toStrictEqual([]);
});

test("every value is described and has a meaning: one that is misspelled is refused at the install", () => {
  expect(GIVEN.length).toBeGreaterThan(7);
  const described = Object.keys(SCHEMA["properties"]).toSorted();
  expect(described).toStrictEqual([...Object.keys(VALUES), "global"].toSorted());
  expect(chartReadme().match(/^\| `.*\| +\|$/gm) ?? []).toStrictEqual([]);
});

test("the environment in the templates is made of settings", () => {
  const known = new Set(SERVICES.flatMap((service) => [...settingsOf(service)]));
  const template = textOf(`${CHART}/templates/_environment.tpl`);
  const names = matches(template, /\b(ANNALS_\w+)\b/g).filter((name) => name !== "ANNALS_");
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !known.has(name))).toStrictEqual([]);
});

test("every template with a container has the security context and the scheduling of the chart", () => {
  const templates = FILES.filter(({ path }) => path.startsWith(`${CHART}/templates/`));
  const withImage = templates.filter(({ text }) => /^ +image: /m.test(text));
  expect(withImage).toHaveLength(5);
  for (const { path, text } of withImage)
    for (const each of [
      "image: ",
      'include "annals.containerSecurity"',
      'include "annals.scheduling"',
    ])
      expect(text.split(each), path).toHaveLength(2);
});

test("no port of a node, no rights of a node, no debugger", () => {
  const deployment = FILES.filter(({ path }) => /^(helm|deploy\/(Dockerfile|compose))/.test(path));
  const forbidden = /hostPort|hostNetwork|hostPID|hostPath|privileged: true|--inspect/;
  for (const { path, text } of deployment) expect(text, path).not.toMatch(forbidden);
  expect(deployment.length).toBeGreaterThan(12);
});

test("the path of traces is added once, to the base URL of the example or to a complete URL", () => {
  const complete = "http://collector.observability:4318/v1/traces";
  const { otlpEndpoint } = yamlOf(`${CHART}/ci/full-values.yaml`);
  for (const given of [otlpEndpoint, `${otlpEndpoint}/`, complete, `${complete}/`])
    expect(tracesUrl(given)).toBe(complete);
});

test("`otel` takes the variables of OpenTelemetry, and not those that the chart has a value for", () => {
  const isValid = new Ajv().compile(SCHEMA["properties"].otel);
  expect(isValid({ OTEL_TRACES_SAMPLER: "always_on" })).toBe(true);
  for (const name of ["ANNALS_PORT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"])
    expect(isValid({ [name]: "x" })).toBe(false);
});

test("the examples for other charts name metrics that are there", () => {
  const example = (name: string) => `${CHART}/examples/${name}.yaml`;
  for (const file of ["prometheus-adapter", "keda"]) {
    const names = matches(textOf(example(file)), /\b(annals_\w+)(?=\{)/g);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(METRICS.has(name.replace(/_(sum|count)$/, "")), name).toBe(true);
  }
  const rules = yamlOf(example("prometheus-adapter"))["rules"].custom as Node[];
  const asked = Object.values<Node>(yamlOf(example("autoscaling"))).flatMap(({ autoscaling }) =>
    Object.keys(autoscaling.podMetrics),
  );
  const served = rules.map((rule) => rule["name"].as as string);
  expect(asked.toSorted()).toStrictEqual(served.toSorted());
});

function merged(base: Node, over: Node): Node {
  const isMap = (value: unknown): value is Node =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([name, value]) => {
    const below = base[name];
    return [name, isMap(value) && isMap(below) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}
