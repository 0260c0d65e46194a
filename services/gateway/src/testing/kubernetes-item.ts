// An item of an EventList for tests of its mapping, and the mapping with the limits of the gateway. Called by
// the tests of intake/.

import { atOnce } from "@annals/contract";
import type { JsonObject, JsonValue } from "@annals/event";
import type { MappedEvent } from "../intake/item.ts";
import { type KubernetesOptions, mapKubernetes } from "../intake/map-kubernetes.ts";

export const OPTIONS: KubernetesOptions = { maxBytes: 65_536, maxDepth: 32, maxValues: 40_000 };

export const mapped = (
  item: object | string | Buffer,
  options: Partial<KubernetesOptions> = {},
) => {
  const text = typeof item === "string" || Buffer.isBuffer(item) ? item : JSON.stringify(item);
  return atOnce(mapKubernetes(Buffer.from(text), { ...OPTIONS, ...options }));
};

/** The event of an item that must have one. */
export function eventOf(
  item: object | string | Buffer,
  options?: Partial<KubernetesOptions>,
): MappedEvent & { readonly metadata: JsonObject } {
  const one = mapped(item, options);
  if (!("event" in one)) throw new Error(JSON.stringify(one));
  return { ...one.event, metadata: one.event.metadata ?? {} };
}

export const ITEM = {
  level: "RequestResponse",
  auditID: "a1",
  stage: "ResponseComplete",
  requestURI: "/api/v1/namespaces/shop/pods/web?x=1",
  verb: "update",
  user: { username: "ada@example.com", uid: "u-1", groups: ["dev"], extra: { why: ["x"] } },
  sourceIPs: ["203.0.113.7", "10.0.0.1"],
  userAgent: "kubectl/v1.34",
  objectRef: { resource: "pods", namespace: "shop", name: "web", apiVersion: "v1" },
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: "2026-01-31T09:30:00.052919Z",
  stageTimestamp: "2026-01-31T09:30:00.060000Z",
  annotations: { "authorization.k8s.io/decision": "allow" },
};

/** An object within as many others. */
export function nested(levels: number, value: JsonValue): JsonValue {
  return levels === 0 ? value : { n: nested(levels - 1, value) };
}
