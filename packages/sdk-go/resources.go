// Code generated from the OpenAPI document by npm run generate. DO NOT EDIT.

// The methods of the client.

package annals

import (
	"context"
	"io"
	"strconv"
)

// Resources are the nouns of the interface, with a method for each of its routes.
type Resources struct {
	Events       EventsCalls
	Intake       IntakeCalls
	Log          LogCalls
	Usage        UsageCalls
	Exports      ExportsCalls
	APIKeys      APIKeysCalls
	Keys         KeysCalls
	Webhooks     WebhooksCalls
	Sinks        SinksCalls
	WidgetTokens WidgetTokensCalls
	Erasures     ErasuresCalls
	Holds        HoldsCalls
	Retention    RetentionCalls
	Archives     ArchivesCalls
	RoleMappings RoleMappingsCalls
	SearchFields SearchFieldsCalls
	Searches     SearchesCalls
	People       PeopleCalls
	Workloads    WorkloadsCalls
	Verify       VerifyCalls
	Widget       WidgetCalls
}

func resourcesOf(t *transport) Resources {
	return Resources{
		Events:       EventsCalls{t},
		Intake:       IntakeCalls{t},
		Log:          LogCalls{t},
		Usage:        UsageCalls{t},
		Exports:      ExportsCalls{t},
		APIKeys:      APIKeysCalls{t},
		Keys:         KeysCalls{t},
		Webhooks:     WebhooksCalls{t},
		Sinks:        SinksCalls{t},
		WidgetTokens: WidgetTokensCalls{t},
		Erasures:     ErasuresCalls{t},
		Holds:        HoldsCalls{t},
		Retention:    RetentionCalls{t},
		Archives:     ArchivesCalls{t},
		RoleMappings: RoleMappingsCalls{t},
		SearchFields: SearchFieldsCalls{t},
		Searches:     SearchesCalls{t},
		People:       PeopleCalls{t},
		Workloads:    WorkloadsCalls{t},
		Verify:       VerifyCalls{t},
		Widget:       WidgetCalls{t},
	}
}

// EventsCalls are the methods of Client.Events.
type EventsCalls struct{ transport *transport }

// Create: Store an event.
func (c EventsCalls) Create(ctx context.Context, body NewEvent, options ...CallOption) (*Event, error) {
	request := call{operation: "create-event", method: "POST", path: "/events", body: body, keying: alwaysKeyed}
	return dataOf[Event](ctx, c.transport, request, options)
}

// CreateMany: Store a batch of events.
func (c EventsCalls) CreateMany(ctx context.Context, events []NewEvent, options ...CallOption) ([]Event, error) {
	request := call{operation: "create-event-batch", method: "POST", path: "/events/batch", body: map[string]any{"events": events}, keying: alwaysKeyed}
	all, err := dataOf[[]Event](ctx, c.transport, request, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// Get: Get an event.
func (c EventsCalls) Get(ctx context.Context, id string, options ...CallOption) (*Event, error) {
	request := call{operation: "get-event", method: "GET", path: "/events/{}", ids: []string{id}}
	return dataOf[Event](ctx, c.transport, request, options)
}

// GetWithProof: Get an event with its proof.
func (c EventsCalls) GetWithProof(ctx context.Context, id string, options ...CallOption) (*EventWithProof, error) {
	request := call{operation: "get-event", method: "GET", path: "/events/{}", ids: []string{id}, query: query{"include=proof"}}
	return bodyAs[EventWithProof](ctx, c.transport, request, options)
}

// List: List events.
func (c EventsCalls) List(query ListEventsQuery, options ...CallOption) List[Event, EventPage] {
	return List[Event, EventPage]{
		ask: func(ctx context.Context, cursor string) (*EventPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-events", method: "GET", path: "/events", query: asked.query()}
			return bodyAs[EventPage](ctx, c.transport, request, options)
		},
		of: func(page *EventPage) ([]Event, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Histogram: Count events by time.
func (c EventsCalls) Histogram(ctx context.Context, query CountEventsQuery, options ...CallOption) (*EventHistogram, error) {
	request := call{operation: "count-events", method: "GET", path: "/events/histogram", query: query.query()}
	return bodyAs[EventHistogram](ctx, c.transport, request, options)
}

// Facets: Count the values of fields.
func (c EventsCalls) Facets(ctx context.Context, query CountValuesQuery, options ...CallOption) ([]EventFacet, error) {
	request := call{operation: "count-values", method: "GET", path: "/events/facets", query: query.query()}
	all, err := dataOf[[]EventFacet](ctx, c.transport, request, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// IntakeCalls are the methods of Client.Intake.
type IntakeCalls struct{ transport *transport }

// KubernetesAudit: Store audit events of a Kubernetes cluster.
func (c IntakeCalls) KubernetesAudit(ctx context.Context, body KubernetesEventList, options ...CallOption) (*IntakeResult, error) {
	request := call{operation: "store-kubernetes-audit", method: "POST", path: "/intake/kubernetes", body: body}
	return dataOf[IntakeResult](ctx, c.transport, request, options)
}

// CloudEvents: Store CloudEvents.
func (c IntakeCalls) CloudEvents(ctx context.Context, events []CloudEvent, options ...CallOption) (*IntakeResult, error) {
	request := call{operation: "store-cloudevents", method: "POST", path: "/intake/cloudevents", body: events, mediaType: "application/cloudevents-batch+json"}
	return dataOf[IntakeResult](ctx, c.transport, request, options)
}

// OTLPLogs: Store log records of OpenTelemetry.
func (c IntakeCalls) OTLPLogs(ctx context.Context, body ExportLogsServiceRequest, options ...CallOption) (*ExportLogsServiceResponse, error) {
	request := call{operation: "store-otlp-logs", method: "POST", path: "/intake/otlp/v1/logs", body: body}
	return bodyAs[ExportLogsServiceResponse](ctx, c.transport, request, options)
}

// LogCalls are the methods of Client.Log.
type LogCalls struct{ transport *transport }

// Get: Get the log of evidence.
func (c LogCalls) Get(ctx context.Context, options ...CallOption) (*Log, error) {
	request := call{operation: "get-log", method: "GET", path: "/log"}
	return dataOf[Log](ctx, c.transport, request, options)
}

// Checkpoint: Get the checkpoint of the log.
func (c LogCalls) Checkpoint(ctx context.Context, options ...CallOption) (string, error) {
	request := call{operation: "read-checkpoint", method: "GET", path: "/log/checkpoint"}
	return c.transport.text(ctx, request, options)
}

// Tile: Get a tile of the log.
func (c LogCalls) Tile(ctx context.Context, level int, index int64, width int, options ...CallOption) ([]byte, error) {
	request := call{operation: "read-tile", method: "GET", path: "/log/tile/" + strconv.Itoa(level) + "/" + tileIndex(index, width)}
	return c.transport.bytes(ctx, request, options)
}

// Entries: Get a bundle of entries of the log.
func (c LogCalls) Entries(ctx context.Context, index int64, width int, options ...CallOption) ([]byte, error) {
	request := call{operation: "read-entries", method: "GET", path: "/log/tile/entries/" + tileIndex(index, width)}
	return c.transport.bytes(ctx, request, options)
}

// Inclusion: Prove an event in the log.
func (c LogCalls) Inclusion(ctx context.Context, query ProveInclusionQuery, options ...CallOption) (*Inclusion, error) {
	request := call{operation: "prove-inclusion", method: "GET", path: "/log/inclusion", query: query.query()}
	return dataOf[Inclusion](ctx, c.transport, request, options)
}

// Consistency: Prove that the log has only grown.
func (c LogCalls) Consistency(ctx context.Context, query ProveConsistencyQuery, options ...CallOption) (*Consistency, error) {
	request := call{operation: "prove-consistency", method: "GET", path: "/log/consistency", query: query.query()}
	return dataOf[Consistency](ctx, c.transport, request, options)
}

// Heads: List the heads of the log.
func (c LogCalls) Heads(query ListHeadsQuery, options ...CallOption) List[EpochHead, EpochHeadPage] {
	return List[EpochHead, EpochHeadPage]{
		ask: func(ctx context.Context, cursor string) (*EpochHeadPage, error) {
			asked := query
			if cursor != "" {
				asked.AfterEpoch, _ = strconv.ParseInt(cursor, 10, 64)
			}
			request := call{operation: "list-heads", method: "GET", path: "/log/heads", query: asked.query()}
			return bodyAs[EpochHeadPage](ctx, c.transport, request, options)
		},
		of: func(page *EpochHeadPage) ([]EpochHead, string) {
			if !page.HasMore || len(page.Data) == 0 {
				return page.Data, ""
			}
			return page.Data, strconv.FormatInt(page.Data[len(page.Data)-1].Epoch, 10)
		},
	}
}

// UsageCalls are the methods of Client.Usage.
type UsageCalls struct{ transport *transport }

// Get: Get the use of each limit.
func (c UsageCalls) Get(ctx context.Context, options ...CallOption) (*Usage, error) {
	request := call{operation: "get-usage", method: "GET", path: "/usage"}
	return dataOf[Usage](ctx, c.transport, request, options)
}

// ExportsCalls are the methods of Client.Exports.
type ExportsCalls struct{ transport *transport }

// Create: Export events.
func (c ExportsCalls) Create(ctx context.Context, body NewExport, options ...CallOption) (*Export, error) {
	request := call{operation: "create-export", method: "POST", path: "/exports", body: body}
	return dataOf[Export](ctx, c.transport, request, options)
}

// List: List exports.
func (c ExportsCalls) List(query PageQuery, options ...CallOption) List[Export, ExportPage] {
	return List[Export, ExportPage]{
		ask: func(ctx context.Context, cursor string) (*ExportPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-exports", method: "GET", path: "/exports", query: asked.query()}
			return bodyAs[ExportPage](ctx, c.transport, request, options)
		},
		of: func(page *ExportPage) ([]Export, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Get: Get an export.
func (c ExportsCalls) Get(ctx context.Context, id string, options ...CallOption) (*Export, error) {
	request := call{operation: "get-export", method: "GET", path: "/exports/{}", ids: []string{id}}
	return dataOf[Export](ctx, c.transport, request, options)
}

// Content: Download the file of an export.
func (c ExportsCalls) Content(ctx context.Context, id string, options ...CallOption) (io.ReadCloser, error) {
	request := call{operation: "get-export-content", method: "GET", path: "/exports/{}/content", ids: []string{id}}
	return c.transport.stream(ctx, request, options)
}

// Delete: Delete an export.
func (c ExportsCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-export", method: "DELETE", path: "/exports/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// APIKeysCalls are the methods of Client.APIKeys.
type APIKeysCalls struct{ transport *transport }

// Create: Create an API key.
func (c APIKeysCalls) Create(ctx context.Context, body NewAPIKey, options ...CallOption) (*CreatedAPIKey, error) {
	request := call{operation: "create-api-key", method: "POST", path: "/api-keys", body: body, keying: keyedByCaller}
	return dataOf[CreatedAPIKey](ctx, c.transport, request, options)
}

// List: List API keys.
func (c APIKeysCalls) List(query PageQuery, options ...CallOption) List[APIKey, APIKeyPage] {
	return List[APIKey, APIKeyPage]{
		ask: func(ctx context.Context, cursor string) (*APIKeyPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-api-keys", method: "GET", path: "/api-keys", query: asked.query()}
			return bodyAs[APIKeyPage](ctx, c.transport, request, options)
		},
		of: func(page *APIKeyPage) ([]APIKey, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Update: Update an API key.
func (c APIKeysCalls) Update(ctx context.Context, id string, body APIKeyUpdate, options ...CallOption) (*APIKey, error) {
	request := call{operation: "update-api-key", method: "PATCH", path: "/api-keys/{}", ids: []string{id}, body: body}
	return dataOf[APIKey](ctx, c.transport, request, options)
}

// Delete: Revoke an API key.
func (c APIKeysCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-api-key", method: "DELETE", path: "/api-keys/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// KeysCalls are the methods of Client.Keys.
type KeysCalls struct{ transport *transport }

// Create: Create an API key (other form).
func (c KeysCalls) Create(ctx context.Context, body NewAPIKey, options ...CallOption) (*CreatedKey, error) {
	request := call{operation: "create-key", method: "POST", path: "/keys", body: body, keying: keyedByCaller}
	return bodyAs[CreatedKey](ctx, c.transport, request, options)
}

// Delete: Revoke an API key (other form).
func (c KeysCalls) Delete(ctx context.Context, keyID string, options ...CallOption) error {
	request := call{operation: "delete-key", method: "DELETE", path: "/keys/{}", ids: []string{keyID}}
	return c.transport.json(ctx, request, nil, options)
}

// WebhooksCalls are the methods of Client.Webhooks.
type WebhooksCalls struct{ transport *transport }

// Create: Create a webhook.
func (c WebhooksCalls) Create(ctx context.Context, body NewWebhook, options ...CallOption) (*CreatedWebhook, error) {
	request := call{operation: "create-webhook", method: "POST", path: "/webhooks", body: body, keying: keyedByCaller}
	return dataOf[CreatedWebhook](ctx, c.transport, request, options)
}

// List: List webhooks.
func (c WebhooksCalls) List(query PageQuery, options ...CallOption) List[Webhook, WebhookPage] {
	return List[Webhook, WebhookPage]{
		ask: func(ctx context.Context, cursor string) (*WebhookPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-webhooks", method: "GET", path: "/webhooks", query: asked.query()}
			return bodyAs[WebhookPage](ctx, c.transport, request, options)
		},
		of: func(page *WebhookPage) ([]Webhook, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Update: Change a webhook.
func (c WebhooksCalls) Update(ctx context.Context, id string, body WebhookUpdate, options ...CallOption) (*Webhook, error) {
	request := call{operation: "update-webhook", method: "PATCH", path: "/webhooks/{}", ids: []string{id}, body: body}
	return dataOf[Webhook](ctx, c.transport, request, options)
}

// Delete: Delete a webhook.
func (c WebhooksCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-webhook", method: "DELETE", path: "/webhooks/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// Deliveries: List the deliveries of a webhook.
func (c WebhooksCalls) Deliveries(id string, query PageQuery, options ...CallOption) List[Delivery, DeliveryPage] {
	return List[Delivery, DeliveryPage]{
		ask: func(ctx context.Context, cursor string) (*DeliveryPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-deliveries", method: "GET", path: "/webhooks/{}/deliveries", ids: []string{id}, query: asked.query()}
			return bodyAs[DeliveryPage](ctx, c.transport, request, options)
		},
		of: func(page *DeliveryPage) ([]Delivery, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Test: Send a test delivery.
func (c WebhooksCalls) Test(ctx context.Context, id string, options ...CallOption) (*QueuedDelivery, error) {
	request := call{operation: "test-webhook", method: "POST", path: "/webhooks/{}/test", ids: []string{id}}
	return dataOf[QueuedDelivery](ctx, c.transport, request, options)
}

// ReplayDelivery: Replay a delivery.
func (c WebhooksCalls) ReplayDelivery(ctx context.Context, id, deliveryID string, options ...CallOption) (*QueuedDelivery, error) {
	request := call{operation: "replay-delivery", method: "POST", path: "/webhooks/{}/deliveries/{}/replay", ids: []string{id, deliveryID}}
	return dataOf[QueuedDelivery](ctx, c.transport, request, options)
}

// ReplayEvents: Replay a range of events.
func (c WebhooksCalls) ReplayEvents(ctx context.Context, id string, body ReplayRange, options ...CallOption) (*QueuedDeliveries, error) {
	request := call{operation: "replay-events", method: "POST", path: "/webhooks/{}/replay", ids: []string{id}, body: body}
	return dataOf[QueuedDeliveries](ctx, c.transport, request, options)
}

// RotateSecret: Rotate the signing secret of a webhook.
func (c WebhooksCalls) RotateSecret(ctx context.Context, id string, body SecretRotation, options ...CallOption) (*RotatedWebhook, error) {
	request := call{operation: "rotate-secret", method: "POST", path: "/webhooks/{}/rotate-secret", ids: []string{id}, body: body}
	return dataOf[RotatedWebhook](ctx, c.transport, request, options)
}

// SinksCalls are the methods of Client.Sinks.
type SinksCalls struct{ transport *transport }

// Create: Create a sink.
func (c SinksCalls) Create(ctx context.Context, body NewSink, options ...CallOption) (*Sink, error) {
	request := call{operation: "create-sink", method: "POST", path: "/sinks", body: body, keying: keyedByCaller}
	return dataOf[Sink](ctx, c.transport, request, options)
}

// List: List sinks.
func (c SinksCalls) List(query PageQuery, options ...CallOption) List[Sink, SinkPage] {
	return List[Sink, SinkPage]{
		ask: func(ctx context.Context, cursor string) (*SinkPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-sinks", method: "GET", path: "/sinks", query: asked.query()}
			return bodyAs[SinkPage](ctx, c.transport, request, options)
		},
		of: func(page *SinkPage) ([]Sink, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Get: Get a sink.
func (c SinksCalls) Get(ctx context.Context, id string, options ...CallOption) (*Sink, error) {
	request := call{operation: "get-sink", method: "GET", path: "/sinks/{}", ids: []string{id}}
	return dataOf[Sink](ctx, c.transport, request, options)
}

// Update: Change a sink.
func (c SinksCalls) Update(ctx context.Context, id string, body SinkUpdate, options ...CallOption) (*Sink, error) {
	request := call{operation: "update-sink", method: "PATCH", path: "/sinks/{}", ids: []string{id}, body: body}
	return dataOf[Sink](ctx, c.transport, request, options)
}

// Delete: Delete a sink.
func (c SinksCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-sink", method: "DELETE", path: "/sinks/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// Test: Test a sink.
func (c SinksCalls) Test(ctx context.Context, id string, options ...CallOption) (*SinkTest, error) {
	request := call{operation: "test-sink", method: "POST", path: "/sinks/{}/test", ids: []string{id}}
	return dataOf[SinkTest](ctx, c.transport, request, options)
}

// Replay: Replay events to a sink.
func (c SinksCalls) Replay(ctx context.Context, id string, body SinkReplay, options ...CallOption) (*SinkReplayed, error) {
	request := call{operation: "replay-sink", method: "POST", path: "/sinks/{}/replay", ids: []string{id}, body: body}
	return dataOf[SinkReplayed](ctx, c.transport, request, options)
}

// Skip: Skip an event that the receiver of a sink refuses.
func (c SinksCalls) Skip(ctx context.Context, id string, body SinkSkip, options ...CallOption) (*SinkSkipped, error) {
	request := call{operation: "skip-sink-record", method: "POST", path: "/sinks/{}/skip", ids: []string{id}, body: body}
	return dataOf[SinkSkipped](ctx, c.transport, request, options)
}

// Status: Get the status of a sink.
func (c SinksCalls) Status(ctx context.Context, id string, options ...CallOption) (*SinkStatus, error) {
	request := call{operation: "get-sink-status", method: "GET", path: "/sinks/{}/status", ids: []string{id}}
	return dataOf[SinkStatus](ctx, c.transport, request, options)
}

// WidgetTokensCalls are the methods of Client.WidgetTokens.
type WidgetTokensCalls struct{ transport *transport }

// Create: Create a widget token.
func (c WidgetTokensCalls) Create(ctx context.Context, body NewWidgetToken, options ...CallOption) (*CreatedWidgetToken, error) {
	request := call{operation: "create-widget-token", method: "POST", path: "/widget-tokens", body: body}
	return dataOf[CreatedWidgetToken](ctx, c.transport, request, options)
}

// List: List widget tokens.
func (c WidgetTokensCalls) List(query PageQuery, options ...CallOption) List[WidgetToken, WidgetTokenPage] {
	return List[WidgetToken, WidgetTokenPage]{
		ask: func(ctx context.Context, cursor string) (*WidgetTokenPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-widget-tokens", method: "GET", path: "/widget-tokens", query: asked.query()}
			return bodyAs[WidgetTokenPage](ctx, c.transport, request, options)
		},
		of: func(page *WidgetTokenPage) ([]WidgetToken, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Delete: Revoke a widget token.
func (c WidgetTokensCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-widget-token", method: "DELETE", path: "/widget-tokens/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// ErasuresCalls are the methods of Client.Erasures.
type ErasuresCalls struct{ transport *transport }

// Create: Erase parts of events.
func (c ErasuresCalls) Create(ctx context.Context, body NewErasure, options ...CallOption) (*Erasure, error) {
	request := call{operation: "create-erasure", method: "POST", path: "/erasures", body: body}
	return dataOf[Erasure](ctx, c.transport, request, options)
}

// List: List erasures.
func (c ErasuresCalls) List(query PageQuery, options ...CallOption) List[Erasure, ErasurePage] {
	return List[Erasure, ErasurePage]{
		ask: func(ctx context.Context, cursor string) (*ErasurePage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-erasures", method: "GET", path: "/erasures", query: asked.query()}
			return bodyAs[ErasurePage](ctx, c.transport, request, options)
		},
		of: func(page *ErasurePage) ([]Erasure, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Get: Get an erasure.
func (c ErasuresCalls) Get(ctx context.Context, id string, options ...CallOption) (*Erasure, error) {
	request := call{operation: "get-erasure", method: "GET", path: "/erasures/{}", ids: []string{id}}
	return dataOf[Erasure](ctx, c.transport, request, options)
}

// Cancel: Cancel an erasure.
func (c ErasuresCalls) Cancel(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "cancel-erasure", method: "DELETE", path: "/erasures/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// HoldsCalls are the methods of Client.Holds.
type HoldsCalls struct{ transport *transport }

// Place: Place a hold.
func (c HoldsCalls) Place(ctx context.Context, body NewHold, options ...CallOption) (*Hold, error) {
	request := call{operation: "place-hold", method: "POST", path: "/holds", body: body, keying: keyedByCaller}
	return dataOf[Hold](ctx, c.transport, request, options)
}

// List: List holds.
func (c HoldsCalls) List(query PageQuery, options ...CallOption) List[Hold, HoldPage] {
	return List[Hold, HoldPage]{
		ask: func(ctx context.Context, cursor string) (*HoldPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-holds", method: "GET", path: "/holds", query: asked.query()}
			return bodyAs[HoldPage](ctx, c.transport, request, options)
		},
		of: func(page *HoldPage) ([]Hold, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Release: Release a hold.
func (c HoldsCalls) Release(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "release-hold", method: "DELETE", path: "/holds/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// RetentionCalls are the methods of Client.Retention.
type RetentionCalls struct{ transport *transport }

// Get: Get the retention of events.
func (c RetentionCalls) Get(ctx context.Context, options ...CallOption) (*Retention, error) {
	request := call{operation: "get-retention", method: "GET", path: "/retention"}
	return dataOf[Retention](ctx, c.transport, request, options)
}

// Set: Set the retention of events.
func (c RetentionCalls) Set(ctx context.Context, body NewRetention, options ...CallOption) (*Retention, error) {
	request := call{operation: "set-retention", method: "PUT", path: "/retention", body: body}
	return dataOf[Retention](ctx, c.transport, request, options)
}

// ArchivesCalls are the methods of Client.Archives.
type ArchivesCalls struct{ transport *transport }

// List: List archives.
func (c ArchivesCalls) List(query PageQuery, options ...CallOption) List[Archive, ArchivePage] {
	return List[Archive, ArchivePage]{
		ask: func(ctx context.Context, cursor string) (*ArchivePage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-archives", method: "GET", path: "/archives", query: asked.query()}
			return bodyAs[ArchivePage](ctx, c.transport, request, options)
		},
		of: func(page *ArchivePage) ([]Archive, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Events: Download the events of an archive.
func (c ArchivesCalls) Events(ctx context.Context, id string, options ...CallOption) (io.ReadCloser, error) {
	request := call{operation: "get-archive-events", method: "GET", path: "/archives/{}/events", ids: []string{id}}
	return c.transport.stream(ctx, request, options)
}

// Evidence: Download the evidence of an archive.
func (c ArchivesCalls) Evidence(ctx context.Context, id string, options ...CallOption) (io.ReadCloser, error) {
	request := call{operation: "get-archive-evidence", method: "GET", path: "/archives/{}/evidence", ids: []string{id}}
	return c.transport.stream(ctx, request, options)
}

// RoleMappingsCalls are the methods of Client.RoleMappings.
type RoleMappingsCalls struct{ transport *transport }

// Create: Give a role to a group or a person.
func (c RoleMappingsCalls) Create(ctx context.Context, body NewRoleMapping, options ...CallOption) (*RoleMapping, error) {
	request := call{operation: "create-role-mapping", method: "POST", path: "/role-mappings", body: body}
	return dataOf[RoleMapping](ctx, c.transport, request, options)
}

// List: List role mappings.
func (c RoleMappingsCalls) List(query PageQuery, options ...CallOption) List[RoleMapping, RoleMappingPage] {
	return List[RoleMapping, RoleMappingPage]{
		ask: func(ctx context.Context, cursor string) (*RoleMappingPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-role-mappings", method: "GET", path: "/role-mappings", query: asked.query()}
			return bodyAs[RoleMappingPage](ctx, c.transport, request, options)
		},
		of: func(page *RoleMappingPage) ([]RoleMapping, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Delete: Delete a role mapping.
func (c RoleMappingsCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-role-mapping", method: "DELETE", path: "/role-mappings/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// SearchFieldsCalls are the methods of Client.SearchFields.
type SearchFieldsCalls struct{ transport *transport }

// Create: Declare a field of events.
func (c SearchFieldsCalls) Create(ctx context.Context, body NewSearchField, options ...CallOption) (*SearchField, error) {
	request := call{operation: "create-search-field", method: "POST", path: "/search/fields", body: body}
	return dataOf[SearchField](ctx, c.transport, request, options)
}

// List: List declared fields.
func (c SearchFieldsCalls) List(ctx context.Context, options ...CallOption) ([]SearchField, error) {
	request := call{operation: "list-search-fields", method: "GET", path: "/search/fields"}
	all, err := dataOf[[]SearchField](ctx, c.transport, request, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// Delete: Delete a declared field.
func (c SearchFieldsCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-search-field", method: "DELETE", path: "/search/fields/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// Paths: List paths of events.
func (c SearchFieldsCalls) Paths(ctx context.Context, options ...CallOption) ([]SearchPath, error) {
	request := call{operation: "list-search-paths", method: "GET", path: "/search/paths"}
	all, err := dataOf[[]SearchPath](ctx, c.transport, request, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// SearchesCalls are the methods of Client.Searches.
type SearchesCalls struct{ transport *transport }

// Create: Save a search.
func (c SearchesCalls) Create(ctx context.Context, body NewSavedSearch, options ...CallOption) (*SavedSearch, error) {
	request := call{operation: "create-saved-search", method: "POST", path: "/searches", body: body, keying: keyedByCaller}
	return dataOf[SavedSearch](ctx, c.transport, request, options)
}

// List: List saved searches.
func (c SearchesCalls) List(ctx context.Context, options ...CallOption) ([]SavedSearch, error) {
	request := call{operation: "list-saved-searches", method: "GET", path: "/searches"}
	all, err := dataOf[[]SavedSearch](ctx, c.transport, request, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// Update: Change a saved search.
func (c SearchesCalls) Update(ctx context.Context, id string, body SavedSearchUpdate, options ...CallOption) (*SavedSearch, error) {
	request := call{operation: "update-saved-search", method: "PATCH", path: "/searches/{}", ids: []string{id}, body: body}
	return dataOf[SavedSearch](ctx, c.transport, request, options)
}

// Delete: Delete a saved search.
func (c SearchesCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-saved-search", method: "DELETE", path: "/searches/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// PeopleCalls are the methods of Client.People.
type PeopleCalls struct{ transport *transport }

// List: List the people who have a role.
func (c PeopleCalls) List(query PageQuery, options ...CallOption) List[Person, PersonPage] {
	return List[Person, PersonPage]{
		ask: func(ctx context.Context, cursor string) (*PersonPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-people", method: "GET", path: "/people", query: asked.query()}
			return bodyAs[PersonPage](ctx, c.transport, request, options)
		},
		of: func(page *PersonPage) ([]Person, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// WorkloadsCalls are the methods of Client.Workloads.
type WorkloadsCalls struct{ transport *transport }

// Create: Trust a workload.
func (c WorkloadsCalls) Create(ctx context.Context, body NewWorkload, options ...CallOption) (*Workload, error) {
	request := call{operation: "create-workload", method: "POST", path: "/workloads", body: body}
	return dataOf[Workload](ctx, c.transport, request, options)
}

// List: List workloads.
func (c WorkloadsCalls) List(query PageQuery, options ...CallOption) List[Workload, WorkloadPage] {
	return List[Workload, WorkloadPage]{
		ask: func(ctx context.Context, cursor string) (*WorkloadPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-workloads", method: "GET", path: "/workloads", query: asked.query()}
			return bodyAs[WorkloadPage](ctx, c.transport, request, options)
		},
		of: func(page *WorkloadPage) ([]Workload, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Delete: Delete a workload.
func (c WorkloadsCalls) Delete(ctx context.Context, id string, options ...CallOption) error {
	request := call{operation: "delete-workload", method: "DELETE", path: "/workloads/{}", ids: []string{id}}
	return c.transport.json(ctx, request, nil, options)
}

// VerifyCalls are the methods of Client.Verify.
type VerifyCalls struct{ transport *transport }

// Chain: Verify the hash chain.
func (c VerifyCalls) Chain(ctx context.Context, query VerifyChainQuery, options ...CallOption) (*Verification, error) {
	request := call{operation: "verify-chain", method: "GET", path: "/verify", query: query.query()}
	return dataOf[Verification](ctx, c.transport, request, options)
}

// WidgetCalls are the methods of Client.Widget.
type WidgetCalls struct{ transport *transport }

// List: List the events of a widget token.
func (c WidgetCalls) List(query ListWidgetEventsQuery, options ...CallOption) List[WidgetEvent, WidgetEventPage] {
	return List[WidgetEvent, WidgetEventPage]{
		ask: func(ctx context.Context, cursor string) (*WidgetEventPage, error) {
			asked := query
			if cursor != "" {
				asked.Cursor = cursor
			}
			request := call{operation: "list-widget-events", method: "GET", path: "/widget/events", query: asked.query()}
			return bodyAs[WidgetEventPage](ctx, c.transport, request, options)
		},
		of: func(page *WidgetEventPage) ([]WidgetEvent, string) {
			return page.Data, textOf(page.NextCursor)
		},
	}
}

// Get: Get an event of a widget token.
func (c WidgetCalls) Get(ctx context.Context, id string, options ...CallOption) (*WidgetEventWithProof, error) {
	request := call{operation: "get-widget-event", method: "GET", path: "/widget/events/{}", ids: []string{id}}
	return bodyAs[WidgetEventWithProof](ctx, c.transport, request, options)
}

// Log: Get how far the log covers the events.
func (c WidgetCalls) Log(ctx context.Context, options ...CallOption) (*WidgetLog, error) {
	request := call{operation: "get-widget-log", method: "GET", path: "/widget/log"}
	return dataOf[WidgetLog](ctx, c.transport, request, options)
}

// Filters: List the values to filter by.
func (c WidgetCalls) Filters(ctx context.Context, options ...CallOption) (*WidgetFilters, error) {
	request := call{operation: "list-widget-filters", method: "GET", path: "/widget/filters"}
	return dataOf[WidgetFilters](ctx, c.transport, request, options)
}

// Histogram: Count the events of a widget token by time.
func (c WidgetCalls) Histogram(ctx context.Context, query CountWidgetEventsQuery, options ...CallOption) (*EventHistogram, error) {
	request := call{operation: "count-widget-events", method: "GET", path: "/widget/events/histogram", query: query.query()}
	return bodyAs[EventHistogram](ctx, c.transport, request, options)
}

// Facets: Count the values of fields in the events of a widget token.
func (c WidgetCalls) Facets(ctx context.Context, query CountWidgetValuesQuery, options ...CallOption) ([]EventFacet, error) {
	request := call{operation: "count-widget-values", method: "GET", path: "/widget/events/facets", query: query.query()}
	all, err := dataOf[[]EventFacet](ctx, c.transport, request, options)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// ListEventsQuery is the query of a call. The zero value of a member leaves it out.
type ListEventsQuery struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string
	// Above this sequence number.
	AfterSequence int64
	// Below this sequence number.
	BeforeSequence int64
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index, so a page can be short or empty: other filters make it
	// quicker.
	Text string
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings
	// Leaves out events that `action` would select. One of up to 10 values, 20 in all filters.
	NotAction Strings
	// Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters.
	NotActorID Strings
	// Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters.
	NotActorType Strings
	// Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters.
	NotTargetID Strings
	// Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters.
	NotTargetType Strings
	// Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters.
	NotOutcome Strings
	// Order by sequence number. Default: desc.
	Order string
	// Default: 50.
	Limit int64
	// The next_cursor of the previous page; use it with the same filters.
	Cursor string
	// Adds the data needed to recompute the hash, next to `data`.
	Include string
	// By declared fields: `field.` and the name of one, or `not.field.` and the name. One of up to 10
	// values, 20 in all filters.
	Fields map[string]Strings
}

func (q ListEventsQuery) query() query {
	var all query
	all.texts("action", q.Action)
	all.texts("actor_id", q.ActorID)
	all.texts("actor_type", q.ActorType)
	all.texts("target_id", q.TargetID)
	all.texts("target_type", q.TargetType)
	all.text("occurred_from", q.OccurredFrom)
	all.text("occurred_to", q.OccurredTo)
	all.text("received_from", q.ReceivedFrom)
	all.text("received_to", q.ReceivedTo)
	all.number("after_sequence", q.AfterSequence)
	all.number("before_sequence", q.BeforeSequence)
	all.text("text", q.Text)
	all.texts("outcome", q.Outcome)
	all.texts("not.action", q.NotAction)
	all.texts("not.actor_id", q.NotActorID)
	all.texts("not.actor_type", q.NotActorType)
	all.texts("not.target_id", q.NotTargetID)
	all.texts("not.target_type", q.NotTargetType)
	all.texts("not.outcome", q.NotOutcome)
	all.text("order", q.Order)
	all.number("limit", q.Limit)
	all.text("cursor", q.Cursor)
	all.text("include", q.Include)
	all.named(q.Fields)
	return all
}

// CountEventsQuery is the query of a call. The zero value of a member leaves it out.
type CountEventsQuery struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string
	// Above this sequence number.
	AfterSequence int64
	// Below this sequence number.
	BeforeSequence int64
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index, so a page can be short or empty: other filters make it
	// quicker.
	Text string
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings
	// Leaves out events that `action` would select. One of up to 10 values, 20 in all filters.
	NotAction Strings
	// Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters.
	NotActorID Strings
	// Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters.
	NotActorType Strings
	// Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters.
	NotTargetID Strings
	// Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters.
	NotTargetType Strings
	// Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters.
	NotOutcome Strings
	// Of each bar. Default: the smallest that makes at most 120 bars.
	Interval string
	// The field whose values are counted: `action`, `actor_id`, `actor_type`, `target_id`, `target_type`,
	// `outcome`, or `field.` and the name of a declared field.
	By string
	// The IANA name of the zone in which hours, days and weeks begin. Default: UTC.
	TimeZone string
	// The next_cursor of the previous page; use it with the same parameters.
	Cursor string
	// By declared fields: `field.` and the name of one, or `not.field.` and the name. One of up to 10
	// values, 20 in all filters.
	Fields map[string]Strings
}

func (q CountEventsQuery) query() query {
	var all query
	all.texts("action", q.Action)
	all.texts("actor_id", q.ActorID)
	all.texts("actor_type", q.ActorType)
	all.texts("target_id", q.TargetID)
	all.texts("target_type", q.TargetType)
	all.text("occurred_from", q.OccurredFrom)
	all.text("occurred_to", q.OccurredTo)
	all.text("received_from", q.ReceivedFrom)
	all.text("received_to", q.ReceivedTo)
	all.number("after_sequence", q.AfterSequence)
	all.number("before_sequence", q.BeforeSequence)
	all.text("text", q.Text)
	all.texts("outcome", q.Outcome)
	all.texts("not.action", q.NotAction)
	all.texts("not.actor_id", q.NotActorID)
	all.texts("not.actor_type", q.NotActorType)
	all.texts("not.target_id", q.NotTargetID)
	all.texts("not.target_type", q.NotTargetType)
	all.texts("not.outcome", q.NotOutcome)
	all.text("interval", q.Interval)
	all.text("by", q.By)
	all.text("time_zone", q.TimeZone)
	all.text("cursor", q.Cursor)
	all.named(q.Fields)
	return all
}

// CountValuesQuery is the query of a call. The zero value of a member leaves it out.
type CountValuesQuery struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string
	// Above this sequence number.
	AfterSequence int64
	// Below this sequence number.
	BeforeSequence int64
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index, so a page can be short or empty: other filters make it
	// quicker.
	Text string
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings
	// Leaves out events that `action` would select. One of up to 10 values, 20 in all filters.
	NotAction Strings
	// Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters.
	NotActorID Strings
	// Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters.
	NotActorType Strings
	// Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters.
	NotTargetID Strings
	// Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters.
	NotTargetType Strings
	// Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters.
	NotOutcome Strings
	// The field whose values are counted: `action`, `actor_id`, `actor_type`, `target_id`, `target_type`,
	// `outcome`, or `field.` and the name of a declared field. Repeatable, at most 6.
	Field Strings
	// Values of each field. Default: 10.
	Limit int64
	// Only values that begin with it are counted. For one field, whose values are texts.
	Prefix string
	// By declared fields: `field.` and the name of one, or `not.field.` and the name. One of up to 10
	// values, 20 in all filters.
	Fields map[string]Strings
}

func (q CountValuesQuery) query() query {
	var all query
	all.texts("action", q.Action)
	all.texts("actor_id", q.ActorID)
	all.texts("actor_type", q.ActorType)
	all.texts("target_id", q.TargetID)
	all.texts("target_type", q.TargetType)
	all.text("occurred_from", q.OccurredFrom)
	all.text("occurred_to", q.OccurredTo)
	all.text("received_from", q.ReceivedFrom)
	all.text("received_to", q.ReceivedTo)
	all.number("after_sequence", q.AfterSequence)
	all.number("before_sequence", q.BeforeSequence)
	all.text("text", q.Text)
	all.texts("outcome", q.Outcome)
	all.texts("not.action", q.NotAction)
	all.texts("not.actor_id", q.NotActorID)
	all.texts("not.actor_type", q.NotActorType)
	all.texts("not.target_id", q.NotTargetID)
	all.texts("not.target_type", q.NotTargetType)
	all.texts("not.outcome", q.NotOutcome)
	all.texts("field", q.Field)
	all.number("limit", q.Limit)
	all.text("prefix", q.Prefix)
	all.named(q.Fields)
	return all
}

// ProveInclusionQuery is the query of a call. The zero value of a member leaves it out.
type ProveInclusionQuery struct {
	// The event.
	SequenceNumber int64
	// Size of the tree. Default: the newest size that is served.
	Size int64
}

func (q ProveInclusionQuery) query() query {
	var all query
	all.number("sequence_number", q.SequenceNumber)
	all.number("size", q.Size)
	return all
}

// ProveConsistencyQuery is the query of a call. The zero value of a member leaves it out.
type ProveConsistencyQuery struct {
	// The earlier size.
	From int64
	// The later size. Default: the newest that is served.
	To int64
}

func (q ProveConsistencyQuery) query() query {
	var all query
	all.number("from", q.From)
	all.number("to", q.To)
	return all
}

// ListHeadsQuery is the query of a call. The zero value of a member leaves it out.
type ListHeadsQuery struct {
	// Only later epochs. Default: 0, all that are kept.
	AfterEpoch int64
	// Default: 50.
	Limit int64
}

func (q ListHeadsQuery) query() query {
	var all query
	all.number("after_epoch", q.AfterEpoch)
	all.number("limit", q.Limit)
	return all
}

// VerifyChainQuery is the query of a call. The zero value of a member leaves it out.
type VerifyChainQuery struct {
	// First event to verify. Default: the first event that retention has left.
	FromSequence int64
	// Last event to verify. Default: the chain's last event.
	ToSequence int64
}

func (q VerifyChainQuery) query() query {
	var all query
	all.number("from_sequence", q.FromSequence)
	all.number("to_sequence", q.ToSequence)
	return all
}

// ListWidgetEventsQuery is the query of a call. The zero value of a member leaves it out.
type ListWidgetEventsQuery struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string
	// Above this sequence number.
	AfterSequence int64
	// Below this sequence number.
	BeforeSequence int64
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index, so a page can be short or empty: other filters make it
	// quicker.
	Text string
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings
	// Leaves out events that `action` would select. One of up to 10 values, 20 in all filters.
	NotAction Strings
	// Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters.
	NotActorID Strings
	// Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters.
	NotActorType Strings
	// Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters.
	NotTargetID Strings
	// Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters.
	NotTargetType Strings
	// Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters.
	NotOutcome Strings
	// Order by sequence number. Default: desc.
	Order string
	// Default: 50.
	Limit int64
	// The next_cursor of the previous page; use it with the same filters.
	Cursor string
	// Adds the data needed to recompute the hash, next to `data`.
	Include string
	// By declared fields: `field.` and the name of one, or `not.field.` and the name. One of up to 10
	// values, 20 in all filters.
	Fields map[string]Strings
}

func (q ListWidgetEventsQuery) query() query {
	var all query
	all.texts("action", q.Action)
	all.texts("actor_id", q.ActorID)
	all.texts("actor_type", q.ActorType)
	all.texts("target_id", q.TargetID)
	all.texts("target_type", q.TargetType)
	all.text("occurred_from", q.OccurredFrom)
	all.text("occurred_to", q.OccurredTo)
	all.text("received_from", q.ReceivedFrom)
	all.text("received_to", q.ReceivedTo)
	all.number("after_sequence", q.AfterSequence)
	all.number("before_sequence", q.BeforeSequence)
	all.text("text", q.Text)
	all.texts("outcome", q.Outcome)
	all.texts("not.action", q.NotAction)
	all.texts("not.actor_id", q.NotActorID)
	all.texts("not.actor_type", q.NotActorType)
	all.texts("not.target_id", q.NotTargetID)
	all.texts("not.target_type", q.NotTargetType)
	all.texts("not.outcome", q.NotOutcome)
	all.text("order", q.Order)
	all.number("limit", q.Limit)
	all.text("cursor", q.Cursor)
	all.text("include", q.Include)
	all.named(q.Fields)
	return all
}

// CountWidgetEventsQuery is the query of a call. The zero value of a member leaves it out.
type CountWidgetEventsQuery struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string
	// Above this sequence number.
	AfterSequence int64
	// Below this sequence number.
	BeforeSequence int64
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index, so a page can be short or empty: other filters make it
	// quicker.
	Text string
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings
	// Leaves out events that `action` would select. One of up to 10 values, 20 in all filters.
	NotAction Strings
	// Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters.
	NotActorID Strings
	// Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters.
	NotActorType Strings
	// Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters.
	NotTargetID Strings
	// Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters.
	NotTargetType Strings
	// Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters.
	NotOutcome Strings
	// Of each bar. Default: the smallest that makes at most 120 bars.
	Interval string
	// The field whose values are counted: `action`, `actor_id`, `actor_type`, `target_id`, `target_type`,
	// `outcome`, or `field.` and the name of a declared field.
	By string
	// The IANA name of the zone in which hours, days and weeks begin. Default: UTC.
	TimeZone string
	// The next_cursor of the previous page; use it with the same parameters.
	Cursor string
	// By declared fields: `field.` and the name of one, or `not.field.` and the name. One of up to 10
	// values, 20 in all filters.
	Fields map[string]Strings
}

func (q CountWidgetEventsQuery) query() query {
	var all query
	all.texts("action", q.Action)
	all.texts("actor_id", q.ActorID)
	all.texts("actor_type", q.ActorType)
	all.texts("target_id", q.TargetID)
	all.texts("target_type", q.TargetType)
	all.text("occurred_from", q.OccurredFrom)
	all.text("occurred_to", q.OccurredTo)
	all.text("received_from", q.ReceivedFrom)
	all.text("received_to", q.ReceivedTo)
	all.number("after_sequence", q.AfterSequence)
	all.number("before_sequence", q.BeforeSequence)
	all.text("text", q.Text)
	all.texts("outcome", q.Outcome)
	all.texts("not.action", q.NotAction)
	all.texts("not.actor_id", q.NotActorID)
	all.texts("not.actor_type", q.NotActorType)
	all.texts("not.target_id", q.NotTargetID)
	all.texts("not.target_type", q.NotTargetType)
	all.texts("not.outcome", q.NotOutcome)
	all.text("interval", q.Interval)
	all.text("by", q.By)
	all.text("time_zone", q.TimeZone)
	all.text("cursor", q.Cursor)
	all.named(q.Fields)
	return all
}

// CountWidgetValuesQuery is the query of a call. The zero value of a member leaves it out.
type CountWidgetValuesQuery struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string
	// Above this sequence number.
	AfterSequence int64
	// Below this sequence number.
	BeforeSequence int64
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index, so a page can be short or empty: other filters make it
	// quicker.
	Text string
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings
	// Leaves out events that `action` would select. One of up to 10 values, 20 in all filters.
	NotAction Strings
	// Leaves out events that `actor_id` would select. One of up to 10 values, 20 in all filters.
	NotActorID Strings
	// Leaves out events that `actor_type` would select. One of up to 10 values, 20 in all filters.
	NotActorType Strings
	// Leaves out events that `target_id` would select. One of up to 10 values, 20 in all filters.
	NotTargetID Strings
	// Leaves out events that `target_type` would select. One of up to 10 values, 20 in all filters.
	NotTargetType Strings
	// Leaves out events that `outcome` would select. One of up to 10 values, 20 in all filters.
	NotOutcome Strings
	// The field whose values are counted: `action`, `actor_id`, `actor_type`, `target_id`, `target_type`,
	// `outcome`, or `field.` and the name of a declared field. Repeatable, at most 6.
	Field Strings
	// Values of each field. Default: 10.
	Limit int64
	// Only values that begin with it are counted. For one field, whose values are texts.
	Prefix string
	// By declared fields: `field.` and the name of one, or `not.field.` and the name. One of up to 10
	// values, 20 in all filters.
	Fields map[string]Strings
}

func (q CountWidgetValuesQuery) query() query {
	var all query
	all.texts("action", q.Action)
	all.texts("actor_id", q.ActorID)
	all.texts("actor_type", q.ActorType)
	all.texts("target_id", q.TargetID)
	all.texts("target_type", q.TargetType)
	all.text("occurred_from", q.OccurredFrom)
	all.text("occurred_to", q.OccurredTo)
	all.text("received_from", q.ReceivedFrom)
	all.text("received_to", q.ReceivedTo)
	all.number("after_sequence", q.AfterSequence)
	all.number("before_sequence", q.BeforeSequence)
	all.text("text", q.Text)
	all.texts("outcome", q.Outcome)
	all.texts("not.action", q.NotAction)
	all.texts("not.actor_id", q.NotActorID)
	all.texts("not.actor_type", q.NotActorType)
	all.texts("not.target_id", q.NotTargetID)
	all.texts("not.target_type", q.NotTargetType)
	all.texts("not.outcome", q.NotOutcome)
	all.texts("field", q.Field)
	all.number("limit", q.Limit)
	all.text("prefix", q.Prefix)
	all.named(q.Fields)
	return all
}
