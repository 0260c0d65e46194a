// POST /v1/intake/kubernetes (docs/intake.md): what a kube-apiserver posts to an audit webhook. The answer
// comes when all is committed: the API server holds its events in memory until then.

import { invalid } from "@annals/errors";
import type { Work } from "@annals/contract";
import { Type } from "typebox";
import type { Deps } from "../deps.ts";
import { listOf, type Members } from "./json-slices.ts";
import { mapKubernetes } from "./map-kubernetes.ts";
import { named, openDetail } from "../render/schema.ts";
import { type Route, route } from "../route.ts";
import { IntakeResultBody } from "./intake-result.ts";
import { type PreparedItem, prepareItems, renderResult, storeItems } from "./store-items.ts";

const API_VERSION = "audit.k8s.io/v1";
const KIND = "EventList";

const EXAMPLE = {
  level: "Metadata",
  auditID: "2c7d09ad-7336-4fb5-ac36-07e990f5a69f",
  stage: "ResponseComplete",
  requestURI: "/api/v1/namespaces/shop/pods/web-0",
  verb: "delete",
  user: { username: "ada@example.com", groups: ["system:authenticated"] },
  objectRef: { resource: "pods", namespace: "shop", name: "web-0", apiVersion: "v1" },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: "2026-01-31T09:30:00.052919Z",
};

const bodyOf = ({ intakeMaxItems }: Deps["limits"]) =>
  named(
    "KubernetesEventList",
    Type.Object({
      apiVersion: Type.Literal(API_VERSION),
      kind: Type.Literal(KIND),
      items: Type.Array(Type.Unknown(), {
        maxItems: intakeMaxItems,
        description:
          "Each one is an `Event` of audit.k8s.io/v1. One that is not is rejected by itself.",
        examples: [[EXAMPLE]],
      }),
    }),
  );

const Query = Type.Object(
  {
    timeout: Type.Optional(
      Type.String({
        description: "Added by the API server, and ignored.",
        examples: ["30s"],
        ...openDetail("intake-timeout"),
      }),
    ),
  },
  { additionalProperties: false },
);

export function storeKubernetesAudit(
  deps: Pick<Deps, "appends" | "intake" | "limits" | "turns">,
): Route {
  const { limits, turns } = deps;
  return route({
    summary: "Store audit events of a Kubernetes cluster",
    description:
      "Takes what a kube-apiserver posts to an audit webhook. Each item is stored, or not, for itself.",
    query: Query,
    body: bodyOf(limits),
    rawBody: "json",
    window: "intake",
    success: { status: 201, body: IntakeResultBody },
    planLimit: "month",
    maxBodyBytes: limits.intakeBodyMaxBytes,
    // Not async: the body would be held until the response (register-routes.ts).
    handle: (call) => {
      const { admission, receivedAt } = call;
      const bytes = call.body as unknown as Buffer | undefined;
      return turns
        .run(admission.accountId, readList(bytes, limits), call)
        .then((items) => storeItems(deps, "kubernetes", { items }, { admission, receivedAt }))
        .then(renderResult);
    },
  });
}

function* readList(bytes: Buffer | undefined, limits: Deps["limits"]): Work<PreparedItem[]> {
  if (bytes === undefined) throw invalid({ field: "body", message: "is required" });
  const list = { name: "items", maxElements: limits.intakeMaxItems };
  const { elements, members } = yield* listOf(bytes, list);
  expectText(members, "apiVersion", API_VERSION);
  expectText(members, "kind", KIND);
  if (elements === undefined) throw invalid({ field: "items", message: "must be an array" });
  const misspelt = [...members.keys()].find((name) => name.toLowerCase() === list.name);
  if (misspelt !== undefined) throw invalid({ field: misspelt, message: "must be spelt items" });
  const options = {
    maxBytes: limits.eventMaxBytes,
    maxDepth: limits.eventMaxDepth,
    maxValues: limits.bodyMaxValues,
  };
  return yield* prepareItems(
    elements,
    (item) => mapKubernetes(item, options),
    limits.eventMaxBytes,
  );
}

function expectText(members: Members, name: string, wanted: string): void {
  if (!members.get(name)?.equals(Buffer.from(JSON.stringify(wanted))))
    throw invalid({ field: name, message: `must be ${wanted}` });
}
