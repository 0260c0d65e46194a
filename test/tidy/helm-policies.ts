// Who may reach whom, as the NetworkPolicies have it. Called by helm.test.ts with each service's.

import { expect } from "vitest";
import type { Node } from "../../deploy/generate/sources.ts";

/** Who may call whom; docs/architecture.md has the same arrows. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  keys: ["gateway"],
  ledger: ["gateway", "keys", "export", "webhook-dispatcher"],
  export: ["gateway", "webhook-dispatcher"],
  "webhook-dispatcher": ["gateway"],
};

/** The NetworkPolicy of a service lets in and out what docs/kubernetes.md says. */
export function checkPolicy(policy: Node): void {
  const service = policy["metadata"].labels["app.kubernetes.io/component"];
  const { policyTypes, ingress, egress } = policy["spec"];
  expect(policyTypes).toStrictEqual(["Ingress", "Egress"]);
  const callers = rulesOf(ingress, 9090).flatMap((rule) => rule["from"].map(peerService));
  expect(callers).toStrictEqual([...(CALLERS[service] ?? [])]);
  const called = rulesOf(egress, 9090).flatMap((rule) => rule["to"].map(peerService));
  expect(called).toStrictEqual(Object.keys(CALLERS).filter((to) => CALLERS[to]?.includes(service)));
  // A rule without peers would let everyone in or out; one without ports is the way to the internet.
  for (const rule of egress as Node[]) expect(rule["to"].length).toBeGreaterThan(0);
  for (const rule of ingress as Node[]) {
    expect(rule["ports"].length).toBeGreaterThan(0);
    if (rule["ports"][0].port !== 8080) expect(rule["from"].length).toBeGreaterThan(0);
  }
  const open = (egress as Node[]).filter((rule) => rule["ports"] === undefined);
  expect(open).toHaveLength(service === "webhook-dispatcher" ? 1 : 0);
  for (const rule of open) {
    const [v4, v6] = (rule["to"] as Node[]).map((peer) => peer["ipBlock"]);
    expect(v4).toMatchObject({ cidr: "0.0.0.0/0" });
    expect(v4.except).toEqual(
      expect.arrayContaining(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"]),
    );
    expect(v6).toMatchObject({ cidr: "2000::/3" });
  }
  const ports = (egress as Node[]).flatMap((rule) =>
    (rule["ports"] ?? []).map((each: Node) => each["port"]),
  );
  const reached = new Set(ports.filter((port) => ![53, 9090, 4318].includes(port)));
  expect(reached.has(5432)).toBe(service !== "gateway");
  if (service === "gateway" || service === "keys") expect(reached.has(4222)).toBe(false);
  if (service !== "export") expect(reached.has(443)).toBe(false);
}

function rulesOf(rules: Node[], port: number): Node[] {
  return rules.filter((rule) => (rule["ports"] ?? []).some((each: Node) => each["port"] === port));
}

const peerService = (peer: Node) => peer["podSelector"].matchLabels["app.kubernetes.io/component"];
