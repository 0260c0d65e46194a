// The table of contents: every route of the interface with its method, path, what it needs, name, the file
// that handles it, and what one request may cost. Read by register-routes.ts. Any other path is a 404. No
// logic.

import type { Permission } from "@annals/contract";
import type { HTTPMethods } from "fastify";
import {
  type Bounds,
  APPEND,
  BATCH,
  CHANGE,
  CHANGED_SINK,
  CHANGED_WEBHOOK,
  DOWNLOAD,
  ENTRIES,
  EVENTS_PAGE,
  FACETS,
  HEADS_PAGE,
  HISTOGRAM,
  INTAKE,
  LOG,
  NEW_ERASURE,
  NEW_EXPORT,
  NEW_HOLD,
  NEW_KEY,
  NEW_ROLE_MAPPING,
  NEW_SEARCH_FIELD,
  NEW_SINK,
  NEW_WEBHOOK,
  NEW_WIDGET_TOKEN,
  NEW_WORKLOAD,
  ONE,
  ONE_EVENT,
  PAGE,
  PEOPLE_PAGE,
  PROOF,
  REPLAY,
  REPLAY_RANGE,
  REPLAY_SINK,
  SEARCH_PATCH,
  NEW_SEARCH,
  SEARCHES,
  SEARCH_FIELDS,
  SEARCH_PATHS,
  SINK_TEST,
  TEST_DELIVERY,
  TILE,
  USAGE,
  VERIFICATION,
  WIDGET_FACETS,
  WIDGET_FILTERS,
  WIDGET_HISTOGRAM,
  WIDGET_PAGE,
} from "./bounds.ts";
import type { Deps } from "./deps.ts";
import type { Route } from "./route.ts";
import { createApiKey } from "./api-keys/create-api-key.ts";
import { deleteApiKey } from "./api-keys/delete-api-key.ts";
import { listApiKeys } from "./api-keys/list-api-keys.ts";
import { updateApiKey } from "./api-keys/update-api-key.ts";
import { cancelErasure } from "./erasures/cancel-erasure.ts";
import { createErasure } from "./erasures/create-erasure.ts";
import { getErasure } from "./erasures/get-erasure.ts";
import { listErasures } from "./erasures/list-erasures.ts";
import { countEvents } from "./events/count-events.ts";
import { countValues } from "./events/count-values.ts";
import { createEventBatch } from "./events/create-event-batch.ts";
import { createEvent } from "./events/create-event.ts";
import { getEvent } from "./events/get-event.ts";
import { listEvents } from "./events/list-events.ts";
import { createExport } from "./exports/create-export.ts";
import { deleteExport } from "./exports/delete-export.ts";
import { getExportContent } from "./exports/get-export-content.ts";
import { getExport } from "./exports/get-export.ts";
import { listExports } from "./exports/list-exports.ts";
import { getArchiveEvents } from "./archives/get-archive-events.ts";
import { getArchiveEvidence } from "./archives/get-archive-evidence.ts";
import { listArchives } from "./archives/list-archives.ts";
import { listHolds } from "./holds/list-holds.ts";
import { placeHold } from "./holds/place-hold.ts";
import { releaseHold } from "./holds/release-hold.ts";
import { storeCloudevents } from "./intake/store-cloudevents.ts";
import { storeKubernetesAudit } from "./intake/store-kubernetes-audit.ts";
import { storeOtlpLogs } from "./intake/store-otlp-logs.ts";
import { createKey } from "./keys/create-key.ts";
import { deleteKey } from "./keys/delete-key.ts";
import { getLog } from "./log/get-log.ts";
import { listHeads } from "./log/list-heads.ts";
import { proveConsistency } from "./log/prove-consistency.ts";
import { proveInclusion } from "./log/prove-inclusion.ts";
import { readCheckpoint } from "./log/read-checkpoint.ts";
import { readEntries } from "./log/read-entries.ts";
import { readTile } from "./log/read-tile.ts";
import { listPeople } from "./people/list-people.ts";
import { getRetention } from "./retention/get-retention.ts";
import { setRetention } from "./retention/set-retention.ts";
import { createRoleMapping } from "./role-mappings/create-role-mapping.ts";
import { deleteRoleMapping } from "./role-mappings/delete-role-mapping.ts";
import { listRoleMappings } from "./role-mappings/list-role-mappings.ts";
import { createSearchField } from "./search/create-search-field.ts";
import { createSavedSearch } from "./searches/create-saved-search.ts";
import { deleteSavedSearch } from "./searches/delete-saved-search.ts";
import { listSavedSearches } from "./searches/list-saved-searches.ts";
import { updateSavedSearch } from "./searches/update-saved-search.ts";
import { deleteSearchField } from "./search/delete-search-field.ts";
import { listSearchFields } from "./search/list-search-fields.ts";
import { listSearchPaths } from "./search/list-search-paths.ts";
import { createSink } from "./sinks/create-sink.ts";
import { deleteSink } from "./sinks/delete-sink.ts";
import { getSinkStatus } from "./sinks/get-sink-status.ts";
import { getSink } from "./sinks/get-sink.ts";
import { listSinks } from "./sinks/list-sinks.ts";
import { replaySink } from "./sinks/replay-sink.ts";
import { skipSinkRecord } from "./sinks/skip-sink-record.ts";
import { testSink } from "./sinks/test-sink.ts";
import { updateSink } from "./sinks/update-sink.ts";
import { getUsage } from "./usage/get-usage.ts";
import { verifyChain } from "./verify/verify-chain.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { replayDelivery } from "./webhooks/replay-delivery.ts";
import { replayEvents } from "./webhooks/replay-events.ts";
import { rotateSecret } from "./webhooks/rotate-secret.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";
import { createWidgetToken } from "./widget-tokens/create-widget-token.ts";
import { deleteWidgetToken } from "./widget-tokens/delete-widget-token.ts";
import { listWidgetTokens } from "./widget-tokens/list-widget-tokens.ts";
import { countWidgetEvents } from "./widget/count-widget-events.ts";
import { countWidgetValues } from "./widget/count-widget-values.ts";
import { getWidgetEvent } from "./widget/get-widget-event.ts";
import { getWidgetLog } from "./widget/get-widget-log.ts";
import { listWidgetEvents } from "./widget/list-widget-events.ts";
import { listWidgetFilters } from "./widget/list-widget-filters.ts";
import { createWorkload } from "./workloads/create-workload.ts";
import { deleteWorkload } from "./workloads/delete-workload.ts";
import { listWorkloads } from "./workloads/list-workloads.ts";

export type Row = readonly [
  HTTPMethods,
  path: string,
  Permission,
  name: string,
  make: (deps: Deps) => Route,
  Bounds,
];

export const V1: readonly Row[] = [
  ["POST", "/api-keys", "keys:manage", "create-api-key", createApiKey, NEW_KEY],
  ["GET", "/api-keys", "keys:manage", "list-api-keys", listApiKeys, PAGE],
  ["PATCH", "/api-keys/:id", "keys:manage", "update-api-key", updateApiKey, CHANGE],
  ["DELETE", "/api-keys/:id", "keys:manage", "delete-api-key", deleteApiKey, ONE],

  ["POST", "/keys", "keys:manage", "create-key", createKey, NEW_KEY],
  ["DELETE", "/keys/:key_id", "keys:manage", "delete-key", deleteKey, ONE],

  ["POST", "/events", "events:write", "create-event", createEvent, APPEND],
  ["POST", "/events/batch", "events:write", "create-event-batch", createEventBatch, BATCH],
  ["GET", "/events", "events:read", "list-events", listEvents, EVENTS_PAGE],
  ["GET", "/events/histogram", "events:read", "count-events", countEvents, HISTOGRAM],
  ["GET", "/events/facets", "events:read", "count-values", countValues, FACETS],
  ["GET", "/events/:id", "events:read", "get-event", getEvent, ONE_EVENT],

  ["GET", "/verify", "verify", "verify-chain", verifyChain, VERIFICATION],

  ["POST", "/exports", "export", "create-export", createExport, NEW_EXPORT],
  ["GET", "/exports", "export", "list-exports", listExports, PAGE],
  ["GET", "/exports/:id", "export", "get-export", getExport, ONE],
  ["DELETE", "/exports/:id", "export", "delete-export", deleteExport, ONE],
  ["GET", "/exports/:id/content", "export", "get-export-content", getExportContent, DOWNLOAD],

  ["POST", "/webhooks", "keys:manage", "create-webhook", createWebhook, NEW_WEBHOOK],
  ["GET", "/webhooks", "keys:manage", "list-webhooks", listWebhooks, PAGE],
  ["PATCH", "/webhooks/:id", "keys:manage", "update-webhook", updateWebhook, CHANGED_WEBHOOK],
  ["DELETE", "/webhooks/:id", "keys:manage", "delete-webhook", deleteWebhook, ONE],
  ["GET", "/webhooks/:id/deliveries", "keys:manage", "list-deliveries", listDeliveries, PAGE],

  // Additional routes (docs/interface.md).
  ["POST", "/webhooks/:id/test", "keys:manage", "test-webhook", testWebhook, TEST_DELIVERY],
  [
    "POST",
    "/webhooks/:id/deliveries/:delivery_id/replay",
    "keys:manage",
    "replay-delivery",
    replayDelivery,
    REPLAY,
  ],
  ["POST", "/webhooks/:id/replay", "keys:manage", "replay-events", replayEvents, REPLAY_RANGE],
  ["POST", "/webhooks/:id/rotate-secret", "keys:manage", "rotate-secret", rotateSecret, CHANGE],
  [
    "POST",
    "/widget-tokens",
    "events:read",
    "create-widget-token",
    createWidgetToken,
    NEW_WIDGET_TOKEN,
  ],
  ["GET", "/widget-tokens", "events:read", "list-widget-tokens", listWidgetTokens, PAGE],
  ["DELETE", "/widget-tokens/:id", "events:read", "delete-widget-token", deleteWidgetToken, ONE],
  ["POST", "/sinks", "keys:manage", "create-sink", createSink, NEW_SINK],
  ["GET", "/sinks", "keys:manage", "list-sinks", listSinks, PAGE],
  ["GET", "/sinks/:id", "keys:manage", "get-sink", getSink, ONE],
  ["PATCH", "/sinks/:id", "keys:manage", "update-sink", updateSink, CHANGED_SINK],
  ["DELETE", "/sinks/:id", "keys:manage", "delete-sink", deleteSink, ONE],
  ["POST", "/sinks/:id/test", "keys:manage", "test-sink", testSink, SINK_TEST],
  ["POST", "/sinks/:id/replay", "keys:manage", "replay-sink", replaySink, REPLAY_SINK],
  ["POST", "/sinks/:id/skip", "keys:manage", "skip-sink-record", skipSinkRecord, CHANGE],
  ["GET", "/sinks/:id/status", "keys:manage", "get-sink-status", getSinkStatus, ONE],
  ["GET", "/usage", "any_key", "get-usage", getUsage, USAGE],

  ["GET", "/log", "verify", "get-log", getLog, LOG],
  ["GET", "/log/checkpoint", "verify", "read-checkpoint", readCheckpoint, LOG],
  ["GET", "/log/tile/entries/*", "events:read", "read-entries", readEntries, ENTRIES],
  ["GET", "/log/tile/:level/*", "verify", "read-tile", readTile, TILE],
  ["GET", "/log/inclusion", "verify", "prove-inclusion", proveInclusion, PROOF],
  ["GET", "/log/consistency", "verify", "prove-consistency", proveConsistency, PROOF],
  ["GET", "/log/heads", "verify", "list-heads", listHeads, HEADS_PAGE],

  ["POST", "/erasures", "keys:manage", "create-erasure", createErasure, NEW_ERASURE],
  ["GET", "/erasures", "keys:manage", "list-erasures", listErasures, PAGE],
  ["GET", "/erasures/:id", "keys:manage", "get-erasure", getErasure, ONE],
  ["DELETE", "/erasures/:id", "keys:manage", "cancel-erasure", cancelErasure, ONE],
  ["POST", "/holds", "keys:manage", "place-hold", placeHold, NEW_HOLD],
  ["GET", "/holds", "keys:manage", "list-holds", listHolds, PAGE],
  ["DELETE", "/holds/:id", "keys:manage", "release-hold", releaseHold, ONE],
  ["GET", "/retention", "keys:manage", "get-retention", getRetention, ONE],
  ["PUT", "/retention", "keys:manage", "set-retention", setRetention, CHANGE],

  [
    "POST",
    "/search/fields",
    "keys:manage",
    "create-search-field",
    createSearchField,
    NEW_SEARCH_FIELD,
  ],
  ["GET", "/search/fields", "keys:manage", "list-search-fields", listSearchFields, SEARCH_FIELDS],
  ["DELETE", "/search/fields/:id", "keys:manage", "delete-search-field", deleteSearchField, ONE],
  ["GET", "/search/paths", "keys:manage", "list-search-paths", listSearchPaths, SEARCH_PATHS],
  ["POST", "/searches", "events:read", "create-saved-search", createSavedSearch, NEW_SEARCH],
  ["GET", "/searches", "events:read", "list-saved-searches", listSavedSearches, SEARCHES],
  ["PATCH", "/searches/:id", "events:read", "update-saved-search", updateSavedSearch, SEARCH_PATCH],
  ["DELETE", "/searches/:id", "events:read", "delete-saved-search", deleteSavedSearch, ONE],

  ["GET", "/archives", "export", "list-archives", listArchives, PAGE],
  ["GET", "/archives/:id/events", "export", "get-archive-events", getArchiveEvents, DOWNLOAD],
  ["GET", "/archives/:id/evidence", "export", "get-archive-evidence", getArchiveEvidence, DOWNLOAD],

  [
    "POST",
    "/role-mappings",
    "keys:manage",
    "create-role-mapping",
    createRoleMapping,
    NEW_ROLE_MAPPING,
  ],
  ["GET", "/role-mappings", "keys:manage", "list-role-mappings", listRoleMappings, PAGE],
  ["DELETE", "/role-mappings/:id", "keys:manage", "delete-role-mapping", deleteRoleMapping, ONE],
  ["GET", "/people", "keys:manage", "list-people", listPeople, PEOPLE_PAGE],
  ["POST", "/workloads", "keys:manage", "create-workload", createWorkload, NEW_WORKLOAD],
  ["GET", "/workloads", "keys:manage", "list-workloads", listWorkloads, PAGE],
  ["DELETE", "/workloads/:id", "keys:manage", "delete-workload", deleteWorkload, ONE],

  [
    "POST",
    "/intake/kubernetes",
    "events:write",
    "store-kubernetes-audit",
    storeKubernetesAudit,
    INTAKE,
  ],
  ["POST", "/intake/cloudevents", "events:write", "store-cloudevents", storeCloudevents, INTAKE],
  ["POST", "/intake/otlp/v1/logs", "events:write", "store-otlp-logs", storeOtlpLogs, INTAKE],

  // These take a widget token in place of an API key.
  ["GET", "/widget/events", "widget", "list-widget-events", listWidgetEvents, WIDGET_PAGE],
  [
    "GET",
    "/widget/events/histogram",
    "widget",
    "count-widget-events",
    countWidgetEvents,
    WIDGET_HISTOGRAM,
  ],
  [
    "GET",
    "/widget/events/facets",
    "widget",
    "count-widget-values",
    countWidgetValues,
    WIDGET_FACETS,
  ],
  ["GET", "/widget/events/:id", "widget", "get-widget-event", getWidgetEvent, ONE_EVENT],
  ["GET", "/widget/filters", "widget", "list-widget-filters", listWidgetFilters, WIDGET_FILTERS],
  ["GET", "/widget/log", "widget", "get-widget-log", getWidgetLog, LOG],
];
