// What the chart's admin API must be: where it is on, a Service of its own for the peers that are named;
// elsewhere no Service, no rule and no setting; never behind the ingress. Called by helm.test.ts with the
// rendered manifests.

import { expect } from "vitest";
import type { Node } from "../../deploy/generate/sources.ts";

const PORT = 9092;

/** Whether an object is the Service of the admin API. */
export function isAdminApi(object: Node): boolean {
  return object["metadata"].name.endsWith("-keys-admin");
}

export function checkAdminApi(objects: Node[]): void {
  const of = (kind: string) => objects.filter((each) => each["kind"] === kind);
  const services = objects.filter(isAdminApi);
  const rules = of("NetworkPolicy").flatMap(({ spec }) =>
    ((spec.ingress ?? []) as Node[]).filter((rule) => rule["ports"][0].port === PORT),
  );
  const having = of("Deployment")
    .map(({ spec }): Node => spec.template.spec.containers[0])
    .filter((pod) =>
      ((pod["env"] ?? []) as Node[]).some((each) => each["name"] === "ANNALS_ADMIN_API_TOKEN_FILE"),
    );
  expect([rules.length, having.length]).toEqual([services.length, services.length]);
  expect(JSON.stringify(of("Ingress"))).not.toContain("admin");
  for (const { spec } of services) {
    expect(spec.ports).toMatchObject([{ port: PORT, targetPort: "admin-api" }]);
    expect(rules[0]?.["from"]).toHaveLength(1);
    expect(having[0]?.["name"]).toBe("keys");
  }
}
