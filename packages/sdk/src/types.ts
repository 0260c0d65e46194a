// The names that the SDK gives to the types of the interface, which are generated from the OpenAPI document.

import type { components } from "./generated/api.ts";

type Schemas = components["schemas"];

export type Actor = Schemas["Actor"];
export type Target = Schemas["Target"];
export type Diff = Schemas["Diff"];
export type NewEvent = Schemas["NewEvent"];
export type Event = Schemas["Event"];
export type EventPage = Schemas["EventPage"];
export type EventFilter = Schemas["ListEventsQuery"] & FieldFilter;
/** By declared fields: `field.` and the name of one; `not.` before it leaves out what that selects. */
export interface FieldFilter {
  readonly [parameter: `field.${string}` | `not.field.${string}`]: string | readonly string[];
}
export type EventHistogram = Schemas["EventHistogram"];
export type EventFacet = Schemas["EventFacet"];
/** The filters of a list. */
type CountedEvents = Omit<EventFilter, "cursor" | "include" | "limit" | "order">;
export type HistogramQuery = CountedEvents & {
  readonly interval?: EventHistogram["interval"];
  /** The field whose values are counted: the name of a filter. */
  readonly by?: string;
  /** IANA name; by default UTC. */
  readonly time_zone?: string;
  /** The `next_cursor` of the page before. */
  readonly cursor?: string;
};
export type FacetsQuery = CountedEvents & {
  readonly field: string | readonly string[];
  /** Values of each field, at most 50; by default 10. */
  readonly limit?: number;
  /** Counts only values that begin with it, of one field. */
  readonly prefix?: string;
};
export type SearchField = Schemas["SearchField"];
export type NewSearchField = Schemas["NewSearchField"];
export type SearchPath = Schemas["SearchPath"];
export type SavedSearch = Schemas["SavedSearch"];
export type NewSavedSearch = Schemas["NewSavedSearch"];
export type SavedSearchUpdate = Schemas["SavedSearchUpdate"];
/** A CloudEvent 1.0 in its JSON format; other attributes are extensions. */
export interface CloudEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time?: string;
  readonly subject?: string;
  readonly data?: unknown;
  readonly [attribute: string]: unknown;
}
export type ExportLogsServiceRequest = Schemas["ExportLogsServiceRequest"];
export type ExportLogsServiceResponse = Schemas["ExportLogsServiceResponse"];
export type IntakeResult = Schemas["IntakeResult"];
export type KubernetesEventList = Schemas["KubernetesEventList"];
export type Proof = Schemas["Proof"];
export type Scope = Schemas["Scope"];
export type ApiKey = Schemas["ApiKey"];
export type ApiKeyUpdate = Schemas["ApiKeyUpdate"];
export type ApiKeyPage = Schemas["ApiKeyPage"];
export type CreatedApiKey = Schemas["CreatedApiKey"];
export type CreatedKey = Schemas["CreatedKey"];
export type NewApiKey = Schemas["NewApiKey"];
export type Webhook = Schemas["Webhook"];
export type WebhookPage = Schemas["WebhookPage"];
export type NewWebhook = Schemas["NewWebhook"];
export type WebhookUpdate = Schemas["WebhookUpdate"];
export type CreatedWebhook = Schemas["CreatedWebhook"];
export type RotatedWebhook = Schemas["RotatedWebhook"];
export type SecretRotation = Schemas["SecretRotation"];
export type ReplayRange = Schemas["ReplayRange"];
export type QueuedDelivery = Schemas["QueuedDelivery"];
export type QueuedDeliveries = Schemas["QueuedDeliveries"];
export type Delivery = Schemas["Delivery"];
export type DeliveryPage = Schemas["DeliveryPage"];
export type LogStatus = Schemas["Log"];
export type Inclusion = Schemas["Inclusion"];
export type Consistency = Schemas["Consistency"];
export type EpochHead = Schemas["EpochHead"];
export type EpochHeadPage = Schemas["EpochHeadPage"];
export type WidgetLog = Schemas["WidgetLog"];
export type Verification = Schemas["Verification"];
export type Usage = Schemas["Usage"];
export type VerificationRange = Schemas["VerifyChainQuery"];
export type Export = Schemas["Export"];
export type ExportPage = Schemas["ExportPage"];
export type NewExport = Schemas["NewExport"];
export type Sink = Schemas["Sink"];
export type SinkPage = Schemas["SinkPage"];
export type NewSink = Schemas["NewSink"];
export type SinkUpdate = Schemas["SinkUpdate"];
export type SinkStatus = Schemas["SinkStatus"];
export type SinkTest = Schemas["SinkTest"];
export type SinkReplay = Schemas["SinkReplay"];
export type SinkSkip = Schemas["SinkSkip"];
export type WidgetToken = Schemas["WidgetToken"];
export type NewWidgetToken = Schemas["NewWidgetToken"];
export type CreatedWidgetToken = Schemas["CreatedWidgetToken"];
export type WidgetTokenPage = Schemas["WidgetTokenPage"];
export type Erasure = Schemas["Erasure"];
export type NewErasure = Schemas["NewErasure"];
export type ErasurePage = Schemas["ErasurePage"];
export type Hold = Schemas["Hold"];
export type NewHold = Schemas["NewHold"];
export type HoldPage = Schemas["HoldPage"];
export type Archive = Schemas["Archive"];
export type ArchivePage = Schemas["ArchivePage"];
export type RoleMapping = Schemas["RoleMapping"];
export type Workload = Schemas["Workload"];
export type NewWorkload = Schemas["NewWorkload"];
export type WorkloadPage = Schemas["WorkloadPage"];
export type NewRoleMapping = Schemas["NewRoleMapping"];
export type RoleMappingPage = Schemas["RoleMappingPage"];
export type Person = Schemas["Person"];
export type PersonPage = Schemas["PersonPage"];
export type Retention = Schemas["Retention"];
export type NewRetention = Schemas["NewRetention"];
export type WidgetEvent = Schemas["WidgetEvent"];
export type WidgetEventPage = Schemas["WidgetEventPage"];
export type WidgetProof = Schemas["WidgetProof"];
export type WidgetFilters = Schemas["WidgetFilters"];

/** What a webhook receives. */
export type WebhookPayload =
  | Schemas["EventCreatedPayload"]
  | Schemas["EventVerifiedPayload"]
  | Schemas["ExportCompletedPayload"]
  | Schemas["WebhookTestPayload"];
