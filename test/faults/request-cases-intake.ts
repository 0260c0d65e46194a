// Cases of request-cases.ts that store events which come by intake.

import { one } from "./request-cases-change.ts";
import type { CostCase } from "./request-world.ts";

/** Items of a body of intake, the most that are taken. */
const ITEMS = 1_000;
const items = <T>(item: (at: number) => T): T[] =>
  Array.from({ length: ITEMS }, (_, at) => item(at));

const auditItem = (n: number) => (at: number) => ({
  kind: "Event",
  apiVersion: "audit.k8s.io/v1",
  auditID: `${n}-${at}`,
  stage: "ResponseComplete",
  level: "Metadata",
  verb: "delete",
  requestURI: "/api/v1/namespaces/default/pods/a",
  user: { username: "u_1" },
  objectRef: { resource: "pods", namespace: "default", name: "a", apiVersion: "v1" },
  requestReceivedTimestamp: "2026-01-31T09:30:00.000000Z",
  stageTimestamp: "2026-01-31T09:30:00.000000Z",
});
const cloudevent = (n: number) => (at: number) => ({
  specversion: "1.0",
  id: `${n}-${at}`,
  source: "/billing",
  type: "invoice.update",
});
const logRecord = (n: number) => (at: number) => ({
  timeUnixNano: "1769851800000000000",
  eventName: "user.login",
  attributes: [{ key: "log.record.uid", value: { stringValue: `${n}-${at}` } }],
});
/** 1,000 attributes in each of 20 records, which share a resource and each have a scope. */
const wideLogs = () => ({
  resourceLogs: [
    {
      resource: { attributes: attributes(1_000) },
      scopeLogs: Array.from({ length: 20 }, (_, at) => ({
        scope: { name: `scope ${at}` },
        logRecords: [{ eventName: "user.login", attributes: attributes(1_000) }],
      })),
    },
  ],
});
const attributes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ key: `k${at}`, value: { stringValue: "v" } }));

const intake = (path: string, body: (n: number) => object, type = "application/json") =>
  one((client, n) =>
    client.post(`/v1/intake/${path}`, JSON.stringify(body(n)), {
      headers: { "content-type": type },
    }),
  );

const MANY = { maxMs: 600, calls: 3 };

export const INTAKE_CASES: readonly CostCase[] = [
  {
    ...MANY,
    route: "POST /intake/kubernetes",
    what: "1,000 events of a kube-apiserver",
    status: 201,
    make: intake("kubernetes", (n) => ({
      kind: "EventList",
      apiVersion: "audit.k8s.io/v1",
      metadata: {},
      items: items(auditItem(n)),
    })),
  },
  {
    ...MANY,
    route: "POST /intake/cloudevents",
    what: "1,000 CloudEvents",
    status: 201,
    make: intake("cloudevents", (n) => items(cloudevent(n)), "application/cloudevents-batch+json"),
  },
  {
    ...MANY,
    route: "POST /intake/otlp/v1/logs",
    what: "1,000 log records",
    make: intake("otlp/v1/logs", (n) => ({
      resourceLogs: [{ scopeLogs: [{ logRecords: items(logRecord(n)) }] }],
    })),
  },
  {
    ...MANY,
    route: "POST /intake/otlp/v1/logs",
    what: "20 scopes of 1,000 attributes, and a resource of 1,000",
    make: intake("otlp/v1/logs", wideLogs),
  },
];
