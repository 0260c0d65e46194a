// Code generated from the OpenAPI document by npm run generate. DO NOT EDIT.

// The types of the interface.

package annals

import (
	"encoding/json"
)

// AccountCheckpoint is a type of the interface.
type AccountCheckpoint struct {
	// The name of the account's log.
	Origin string `json:"origin"`
	// Number of the epoch: the head log's entry with the index before it.
	Epoch int64 `json:"epoch"`
	// When the epoch was closed. ISO 8601, UTC, six fraction digits.
	Time string `json:"time"`
	// How many events the checkpoint covers.
	Size int64 `json:"size"`
	// 64 lower-case hexadecimal characters.
	Root string `json:"root"`
	// The signed checkpoint of the account's log: the anchor to keep.
	Checkpoint string `json:"checkpoint"`
}

// Actor: Who did it.
type Actor struct {
	// Who acted.
	ID string `json:"id,omitempty"`
	// What kind: user, service, api_key.
	Type string `json:"type,omitempty"`
	// Free-form.
	Meta map[string]any `json:"meta,omitzero"`
}

// APIKey is a type of the interface.
type APIKey struct {
	// `key_` and an opaque string.
	ID   string `json:"id"`
	Name string `json:"name"`
	// The start of the key, three dots, its last two characters.
	KeyPrefix string `json:"key_prefix"`
	// What the key may do.
	Scopes []Scope `json:"scopes"`
	// ISO 8601, UTC.
	CreatedAt string `json:"created_at"`
	// When the key expires; absent if it never does. ISO 8601, UTC.
	ExpiresAt string `json:"expires_at,omitempty"`
	// IP addresses and networks that the key may be used from; requests from others get 403. Left out:
	// any.
	AllowedIPs []string `json:"allowed_ips,omitzero"`
	// The day of the last use, as its first moment in UTC; written within about a minute. Absent if the
	// key was not used.
	LastUsedAt string `json:"last_used_at,omitempty"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *APIKey) UnmarshalJSON(text []byte) error {
	type plain APIKey
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// APIKeyPage is a type of the interface.
type APIKeyPage struct {
	Data []APIKey `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *APIKeyPage) UnmarshalJSON(text []byte) error {
	type plain APIKeyPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// APIKeyUpdate is a type of the interface.
type APIKeyUpdate struct {
	// 1 to 255 characters after trimming, no control characters; need not be unique.
	Name string `json:"name"`
	// Null: the key never expires. Left out: as it is.
	ExpiresAt Nullable[string] `json:"expires_at,omitzero"`
	// Null: from anywhere. Left out: as they are.
	AllowedIPs Nullable[[]string] `json:"allowed_ips,omitzero"`
}

// Archive is a type of the interface.
type Archive struct {
	// `arc_` and an opaque string.
	ID string `json:"id"`
	// The month of UTC in which its events were stored.
	Month string `json:"month"`
	// Its first event.
	FromSequence int64 `json:"from_sequence"`
	// Its last event.
	ToSequence int64 `json:"to_sequence"`
	// Its events with proofs, as JSON Lines that are compressed with zstd.
	Events ArchiveEvents `json:"events"`
	// What proves its events: a bundle of evidence without them.
	Evidence ArchiveEvidence `json:"evidence"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// When its files were written last: an erasure of its events writes them anew.
	WrittenAt string `json:"written_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Archive) UnmarshalJSON(text []byte) error {
	type plain Archive
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// ArchiveEvents: Its events with proofs, as JSON Lines that are compressed with zstd.
type ArchiveEvents struct {
	// SHA-256 of the file, in lower-case hexadecimal.
	SHA256    string `json:"sha256"`
	SizeBytes int64  `json:"size_bytes"`
}

// ArchiveEvidence: What proves its events: a bundle of evidence without them.
type ArchiveEvidence struct {
	// SHA-256 of the file, in lower-case hexadecimal.
	SHA256    string `json:"sha256"`
	SizeBytes int64  `json:"size_bytes"`
}

// ArchivePage is a type of the interface.
type ArchivePage struct {
	Data []Archive `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *ArchivePage) UnmarshalJSON(text []byte) error {
	type plain ArchivePage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// AzureEventHubsSinkConfig is a type of the interface.
type AzureEventHubsSinkConfig struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// Name of the event hub.
	EventHub string `json:"event_hub"`
	// Name of a key that may send.
	SharedAccessKeyName string `json:"shared_access_key_name"`
	// The key, a secret.
	SharedAccessKey string `json:"shared_access_key"`
}

// AzureEventHubsSinkConfigShown is a type of the interface.
type AzureEventHubsSinkConfigShown struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// Name of the event hub.
	EventHub string `json:"event_hub"`
	// Name of a key that may send.
	SharedAccessKeyName string `json:"shared_access_key_name"`
}

// CloudEvent: The data of the event, whose attributes are headers with the prefix `ce-`; or, as
// `application/cloudevents+json`, an event; or, as `application/cloudevents-batch+json`, an array of
// at most 1,000.
type CloudEvent map[string]any

// Consistency is a type of the interface.
type Consistency struct {
	// The earlier size.
	From int64 `json:"from"`
	// The root at the size `from`.
	FromRoot string `json:"from_root"`
	// The later size.
	To int64 `json:"to"`
	// The root at the size `to`.
	ToRoot string `json:"to_root"`
	// The proof (RFC 6962). Empty for equal sizes.
	Hashes []string `json:"hashes"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Consistency) UnmarshalJSON(text []byte) error {
	type plain Consistency
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Covered is a type of the interface.
type Covered struct {
	// The last event that the epoch covers.
	SequenceNumber int64 `json:"sequence_number"`
	// Number of the epoch: the head log's entry with the index before it.
	Epoch int64 `json:"epoch"`
	// When the epoch was closed. ISO 8601, UTC, six fraction digits.
	Time string `json:"time"`
	// The witnesses of the policy that have cosigned the epoch.
	Witnesses []CoveredWitnessesItem `json:"witnesses"`
}

// CoveredWitnessesItem is a type of the interface.
type CoveredWitnessesItem struct {
	// Name in the policy.
	Name string `json:"name"`
	// Time of the cosignature. ISO 8601, UTC, six fraction digits.
	Time string `json:"time"`
}

// CreatedAPIKey is a type of the interface.
type CreatedAPIKey struct {
	// `key_` and an opaque string.
	ID   string `json:"id"`
	Name string `json:"name"`
	// The start of the key, three dots, its last two characters.
	KeyPrefix string `json:"key_prefix"`
	// What the key may do.
	Scopes []Scope `json:"scopes"`
	// ISO 8601, UTC.
	CreatedAt string `json:"created_at"`
	// When the key expires; absent if it never does. ISO 8601, UTC.
	ExpiresAt string `json:"expires_at,omitempty"`
	// IP addresses and networks that the key may be used from; requests from others get 403. Left out:
	// any.
	AllowedIPs []string `json:"allowed_ips,omitzero"`
	// The day of the last use, as its first moment in UTC; written within about a minute. Absent if the
	// key was not used.
	LastUsedAt string `json:"last_used_at,omitempty"`
	// The complete key. Shown only in this response.
	Key string `json:"key,omitempty"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *CreatedAPIKey) UnmarshalJSON(text []byte) error {
	type plain CreatedAPIKey
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// CreatedKey is a type of the interface.
type CreatedKey struct {
	// `key_` and an opaque string.
	ID   string `json:"id"`
	Name string `json:"name"`
	// The complete key. Shown only in this response.
	Key string `json:"key,omitempty"`
	// What the key may do.
	Scopes []Scope `json:"scopes"`
	// ISO 8601, UTC.
	CreatedAt string `json:"created_at"`
	// When the key expires; absent if it never does. ISO 8601, UTC.
	ExpiresAt string `json:"expires_at,omitempty"`
	// IP addresses and networks that the key may be used from; requests from others get 403. Left out:
	// any.
	AllowedIPs []string `json:"allowed_ips,omitzero"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *CreatedKey) UnmarshalJSON(text []byte) error {
	type plain CreatedKey
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// CreatedWebhook is a type of the interface.
type CreatedWebhook struct {
	// `wh_` and an opaque string.
	ID  string `json:"id"`
	URL string `json:"url"`
	// The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
	Events []EventPattern `json:"events"`
	Active bool           `json:"active"`
	// ISO 8601, UTC.
	CreatedAt string         `json:"created_at"`
	Filter    *WebhookFilter `json:"filter,omitempty"`
	// Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its
	// filter would leave out less, because a value of `not` was erased. Absent if it did not. One of
	// "failing", "erasure".
	DisabledReason string `json:"disabled_reason,omitempty"`
	// When the service disabled the webhook; ISO 8601, UTC.
	DisabledAt string             `json:"disabled_at,omitempty"`
	Dropped    *DroppedDeliveries `json:"dropped,omitempty"`
	// The signing secret, `whsec_` and base64. Shown only in this response.
	Secret string `json:"secret,omitempty"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *CreatedWebhook) UnmarshalJSON(text []byte) error {
	type plain CreatedWebhook
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// CreatedWidgetToken is a type of the interface.
type CreatedWidgetToken struct {
	// `wtok_` and an opaque string.
	ID string `json:"id"`
	// The start of the token, three dots, its last two characters.
	TokenPrefix string      `json:"token_prefix"`
	Filter      EventFilter `json:"filter"`
	// Parts of an event to show besides who, what and when. Default: none. One of "actor.meta",
	// "target.meta", "context", "diff", "metadata".
	Parts []string `json:"parts"`
	// Origins of the web pages that may use the token. Default: none, only pages of the service itself.
	Origins []string `json:"origins"`
	// Null if no viewer was named.
	Viewer *WidgetViewer `json:"viewer"`
	// When the token expires; ISO 8601, UTC.
	ExpiresAt string `json:"expires_at"`
	// ISO 8601, UTC.
	CreatedAt string `json:"created_at"`
	// The complete token. Shown only in this response.
	Token string `json:"token"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *CreatedWidgetToken) UnmarshalJSON(text []byte) error {
	type plain CreatedWidgetToken
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Delivery is a type of the interface.
type Delivery struct {
	// `wh_del_` and an opaque string.
	ID string `json:"id"`
	// The event's name.
	Event string `json:"event"`
	// One of "success", "failed".
	Status string `json:"status"`
	// Status code of the last attempt; null if there was no response.
	StatusCode *int64 `json:"status_code"`
	// Why the last attempt failed; null after a success. `status`: the response has no 2xx status.
	// `address`: the host has no address that may be connected to. `connection`: no connection, or it
	// broke. `tls`: no valid certificate. `timeout`: no status in time. `response`: no valid response.
	// `interrupted`: the service stopped during the attempt.
	Failure  *string `json:"failure"`
	Attempts int64   `json:"attempts"`
	// When the delivery succeeded. Absent if it did not.
	DeliveredAt string `json:"delivered_at,omitempty"`
	// When the last attempt ended. Absent if it succeeded.
	LastAttemptAt string `json:"last_attempt_at,omitempty"`
	// When the next attempt is due; null if no attempt is left.
	NextRetryAt *string `json:"next_retry_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Delivery) UnmarshalJSON(text []byte) error {
	type plain Delivery
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// DeliveryPage is a type of the interface.
type DeliveryPage struct {
	Data []Delivery `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *DeliveryPage) UnmarshalJSON(text []byte) error {
	type plain DeliveryPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Diff: What changed.
type Diff struct {
	// Free-form.
	Before map[string]any `json:"before,omitzero"`
	// Free-form.
	After map[string]any `json:"after,omitzero"`
}

// DroppedDeliveries: Deliveries that were not queued, because the account had too many pending.
// Absent if there are none.
type DroppedDeliveries struct {
	Count               int64  `json:"count"`
	FirstSequenceNumber *int64 `json:"first_sequence_number"`
	LastSequenceNumber  *int64 `json:"last_sequence_number"`
	LastAt              string `json:"last_at"`
}

// EpochHead is a type of the interface.
type EpochHead struct {
	// Number of the epoch.
	Epoch int64 `json:"epoch"`
	// The epoch's entry of the head log, in canonical JSON.
	Entry string `json:"entry"`
	// The record of the account's head in this epoch.
	Head EpochHeadHead `json:"head"`
	// Proves the head in the map of the epoch, from the top down.
	Path []string `json:"path"`
	// The first served checkpoint of the head log that holds the entry.
	Checkpoint string `json:"checkpoint"`
	// Proves the entry under this checkpoint.
	Inclusion []string `json:"inclusion"`
	// Leads from this head to the account's newest served head.
	Consistency []string `json:"consistency"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *EpochHead) UnmarshalJSON(text []byte) error {
	type plain EpochHead
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// EpochHeadHead: The record of the account's head in this epoch.
type EpochHeadHead struct {
	Chain string `json:"chain"`
	// 64 lower-case hexadecimal characters.
	Root string  `json:"root"`
	Size int64   `json:"size"`
	V    float64 `json:"v"`
}

// EpochHeadPage is a type of the interface.
type EpochHeadPage struct {
	Data []EpochHead `json:"data"`
	// Whether there are later heads: continue after the epoch of the last one.
	HasMore bool `json:"has_more"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *EpochHeadPage) UnmarshalJSON(text []byte) error {
	type plain EpochHeadPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Erasure is a type of the interface.
type Erasure struct {
	// `era_` and an opaque string.
	ID string `json:"id"`
	// running: also while the erased values leave the copies of `copies`. completed: none of the selected
	// events up to `up_to_sequence` still has these parts, in the stored events, the filter index and the
	// copies, except those counted in `held`. It says nothing about backups and files that were
	// downloaded. One of "pending", "running", "completed", "cancelled".
	Status string `json:"status"`
	// Events of this actor are selected. Null once the erasure has ended.
	ActorID *string `json:"actor_id"`
	// Events about this target are selected. Null once the erasure has ended.
	TargetID *string `json:"target_id"`
	// This event is selected. Null once the erasure has ended.
	EventID *string `json:"event_id"`
	// Parts to erase of each event. One of "actor", "context", "diff", "metadata", "target".
	Parts     []string `json:"parts"`
	Reference *string  `json:"reference"`
	// Last event that it covers: the last one that was stored when it was requested.
	UpToSequence int64 `json:"up_to_sequence"`
	// Events of which it has erased parts so far.
	Erased int64 `json:"erased"`
	// Events that a hold has kept from it so far.
	Held int64 `json:"held"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// When it may begin. Until then it can be cancelled. Null once it has begun or ended.
	BeginsAt *string `json:"begins_at"`
	// When it was completed or cancelled.
	EndedAt *string `json:"ended_at"`
	// Null before, and if the service has no such copies.
	Copies ErasureCopies `json:"copies"`
	// When the old rows had left the tables of the database: their space is overwritten from then on.
	// Null before.
	VacuumedAt *string `json:"vacuumed_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Erasure) UnmarshalJSON(text []byte) error {
	type plain Erasure
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// ErasureCopies: Null before, and if the service has no such copies.
type ErasureCopies struct {
	// Since when no file of an export has a value.
	Exports *string `json:"exports"`
	// Since when no webhook delivery that begins sends a value.
	Webhooks *string `json:"webhooks"`
}

// ErasurePage is a type of the interface.
type ErasurePage struct {
	Data []Erasure `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *ErasurePage) UnmarshalJSON(text []byte) error {
	type plain ErasurePage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Event is a type of the interface.
type Event struct {
	// `evt_` and an opaque string.
	ID string `json:"id"`
	// 1 for the account's first event, then increases by one per event.
	SequenceNumber int64 `json:"sequence_number"`
	// What was done, such as `invoice.update`.
	Action string `json:"action"`
	Actor  Actor  `json:"actor"`
	Target Target `json:"target"`
	// Free-form: address, user agent, location.
	Context map[string]any `json:"context"`
	Diff    Diff           `json:"diff"`
	// Free-form.
	Metadata map[string]any `json:"metadata"`
	// 64 lower-case hexadecimal characters.
	Hash string `json:"hash"`
	// Hash of the preceding event; 64 zeros for the first event.
	PreviousHash string `json:"previous_hash"`
	// When the event happened, according to the client. UTC, six fraction digits.
	OccurredAt string `json:"occurred_at"`
	// When the service had received the complete request.
	ReceivedAt string `json:"received_at"`
	// When the event was added to the chain.
	CreatedAt string `json:"created_at"`
	// The parts that were erased after the event was stored. Absent if it has all parts. One of "actor",
	// "context", "diff", "metadata", "target".
	Erased []string `json:"erased,omitzero"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Event) UnmarshalJSON(text []byte) error {
	type plain Event
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// EventCreatedPayload is a type of the interface.
type EventCreatedPayload struct {
	// `wh_evt_` and an opaque string.
	ID    string `json:"id"`
	Event string `json:"event"`
	Data  Event  `json:"data"`
	// ISO 8601, UTC, six fraction digits.
	Timestamp string `json:"timestamp"`
}

// EventFacet is a type of the interface.
type EventFacet struct {
	Field string `json:"field"`
	// The most frequent first.
	Values []EventFacetValuesItem `json:"values"`
	// Counts of the values that are not listed.
	Other int64 `json:"other"`
	// Events without a value, or without one that begins with `prefix`.
	Missing int64 `json:"missing"`
	// Different values that were counted.
	Distinct int64 `json:"distinct"`
	// Whether all events were counted. If not, the newest ones were: see `counted`.
	Exact   bool              `json:"exact"`
	Counted EventFacetCounted `json:"counted"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *EventFacet) UnmarshalJSON(text []byte) error {
	type plain EventFacet
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// EventFacetValuesItem is a type of the interface.
type EventFacetValuesItem struct {
	Value string `json:"value"`
	// Events with the value.
	Count int64 `json:"count"`
}

// EventFacetCounted is a type of the interface.
type EventFacetCounted struct {
	// Events that match.
	Events int64 `json:"events"`
	// Events below this sequence number were not counted.
	FromSequence int64 `json:"from_sequence"`
}

// EventFilter: The same filters as GET /v1/events. Default: all events.
type EventFilter struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings `json:"action,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings `json:"actor_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings `json:"actor_type,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings `json:"target_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings `json:"target_type,omitzero"`
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string `json:"occurred_from,omitempty"`
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string `json:"occurred_to,omitempty"`
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string `json:"received_from,omitempty"`
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string `json:"received_to,omitempty"`
	// Above this sequence number.
	AfterSequence *int64 `json:"after_sequence,omitempty"`
	// Below this sequence number.
	BeforeSequence *int64 `json:"before_sequence,omitempty"`
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings `json:"outcome,omitzero"`
	// By declared fields: each by its name. What is stored keeps path and type of them.
	Fields map[string]Strings `json:"fields,omitzero"`
	// Leaves out events that any of these members selects.
	Not *EventFilterNot `json:"not,omitempty"`
}

// EventFilterNot: Leaves out events that any of these members selects.
type EventFilterNot struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings `json:"action,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings `json:"actor_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings `json:"actor_type,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings `json:"target_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings `json:"target_type,omitzero"`
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings `json:"outcome,omitzero"`
	// By declared fields: each by its name. What is stored keeps path and type of them.
	Fields map[string]Strings `json:"fields,omitzero"`
}

// EventHistogram is a type of the interface.
type EventHistogram struct {
	// Sorted by time, then in the order of `values`, null last.
	Data []EventHistogramDataItem `json:"data"`
	// With `by`: at most ten values, the most frequent of the first page, or fewer if there are so many
	// bars that the answer would be larger than 512 KiB.
	Values []string `json:"values"`
	// Events that were counted.
	Total int64 `json:"total"`
	// One of "1m", "5m", "15m", "1h", "1d", "1w".
	Interval string `json:"interval"`
	TimeZone string `json:"time_zone"`
	// Whether all events were counted. If not, go on with next_cursor and add the counts.
	Complete bool `json:"complete"`
	// Of the events below the cursor, those from this sequence number on were counted.
	CountedFromSequence int64 `json:"counted_from_sequence"`
	// The cursor of the next page, which counts older events; null if complete.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *EventHistogram) UnmarshalJSON(text []byte) error {
	type plain EventHistogram
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// EventHistogramDataItem is a type of the interface.
type EventHistogramDataItem struct {
	// When the bar begins, in UTC.
	Time string `json:"time"`
	// Null: the events with none of `values`.
	Value *string `json:"value"`
	// At least 1: a bar without events is absent.
	Count int64 `json:"count"`
}

// EventPage is a type of the interface.
type EventPage struct {
	Data   []Event `json:"data"`
	Proofs []Proof `json:"proofs,omitzero"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *EventPage) UnmarshalJSON(text []byte) error {
	type plain EventPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// EventPattern: The name of an event; `*` means all of them but `log.checkpointed`.
type EventPattern string

const (
	EventPatternEventCreated    EventPattern = "event.created"
	EventPatternEventVerified   EventPattern = "event.verified"
	EventPatternExportCompleted EventPattern = "export.completed"
	EventPatternLogCheckpointed EventPattern = "log.checkpointed"
)

// EventVerifiedPayload is a type of the interface.
type EventVerifiedPayload struct {
	// `wh_evt_` and an opaque string.
	ID    string       `json:"id"`
	Event string       `json:"event"`
	Data  Verification `json:"data"`
	// ISO 8601, UTC, six fraction digits.
	Timestamp string `json:"timestamp"`
}

// EventWithProof is a type of the interface.
type EventWithProof struct {
	Data  Event `json:"data"`
	Proof Proof `json:"proof"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *EventWithProof) UnmarshalJSON(text []byte) error {
	type plain EventWithProof
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Export is a type of the interface.
type Export struct {
	// `exp_` and an opaque string.
	ID string `json:"id"`
	// One of "pending", "running", "completed", "failed".
	Status string `json:"status"`
	// One of "jsonl", "csv", "csv_bom", "parquet", "evidence".
	Format string       `json:"format"`
	Filter SearchFilter `json:"filter"`
	// Events in the file. Null until the export is completed.
	EventCount *int64 `json:"event_count"`
	// SHA-256 of the complete file, in lower-case hexadecimal. Null until the export is completed.
	SHA256 *string `json:"sha256"`
	// Size of the complete file. Null until the export is completed.
	SizeBytes *int64 `json:"size_bytes"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// ISO 8601, UTC, six fraction digits. Null until the export is completed.
	CompletedAt *string `json:"completed_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Export) UnmarshalJSON(text []byte) error {
	type plain Export
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// ExportCompletedPayload is a type of the interface.
type ExportCompletedPayload struct {
	// `wh_evt_` and an opaque string.
	ID    string `json:"id"`
	Event string `json:"event"`
	Data  Export `json:"data"`
	// ISO 8601, UTC, six fraction digits.
	Timestamp string `json:"timestamp"`
}

// ExportLogsServiceRequest is a type of the interface.
type ExportLogsServiceRequest struct {
	// Together they have at most 1,000 log records.
	ResourceLogs Nullable[[]ExportLogsServiceRequestResourceLogsItem] `json:"resourceLogs,omitzero"`
}

// ExportLogsServiceRequestResourceLogsItem is a type of the interface.
type ExportLogsServiceRequestResourceLogsItem struct {
	Resource  any                                                               `json:"resource,omitzero"`
	ScopeLogs Nullable[[]ExportLogsServiceRequestResourceLogsItemScopeLogsItem] `json:"scopeLogs,omitzero"`
}

// ExportLogsServiceRequestResourceLogsItemScopeLogsItem is a type of the interface.
type ExportLogsServiceRequestResourceLogsItemScopeLogsItem struct {
	Scope any `json:"scope,omitzero"`
	// Each one is a `LogRecord`. One that is not is rejected by itself.
	LogRecords Nullable[[]any] `json:"logRecords,omitzero"`
}

// ExportLogsServiceResponse is a type of the interface.
type ExportLogsServiceResponse struct {
	// Absent if every record is stored, and nothing was ignored.
	PartialSuccess *ExportLogsServiceResponsePartialSuccess `json:"partialSuccess,omitempty"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *ExportLogsServiceResponse) UnmarshalJSON(text []byte) error {
	type plain ExportLogsServiceResponse
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// ExportLogsServiceResponsePartialSuccess: Absent if every record is stored, and nothing was ignored.
type ExportLogsServiceResponsePartialSuccess struct {
	// Records that cannot be stored, as a number in text. Absent if there are none: a warning.
	RejectedLogRecords string `json:"rejectedLogRecords,omitempty"`
	// The first ten of them, by their index in the request; and which part of the request was ignored,
	// because it has no log records but members that are not known.
	ErrorMessage string `json:"errorMessage"`
}

// ExportPage is a type of the interface.
type ExportPage struct {
	Data []Export `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *ExportPage) UnmarshalJSON(text []byte) error {
	type plain ExportPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Hold is a type of the interface.
type Hold struct {
	// `hold_` and an opaque string.
	ID string `json:"id"`
	// First event that is held.
	FromSequence int64 `json:"from_sequence"`
	// Last event that is held; null for a hold that also covers later events.
	ToSequence *int64 `json:"to_sequence"`
	// Only events of this actor are held; null: those of all actors.
	ActorID *string `json:"actor_id"`
	// Who placed it. A hold of the operator cannot be released with an API key. One of "account",
	// "operator".
	Owner string `json:"owner"`
	// Sequence number of the event `annals.hold` that records it.
	PlacedBy int64 `json:"placed_by"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Hold) UnmarshalJSON(text []byte) error {
	type plain Hold
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// HoldPage is a type of the interface.
type HoldPage struct {
	Data []Hold `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *HoldPage) UnmarshalJSON(text []byte) error {
	type plain HoldPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// HTTPSinkConfig is a type of the interface.
type HTTPSinkConfig struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// Up to 20 headers of each request, with their values, which are secrets. Default: none.
	Headers map[string]any `json:"headers,omitzero"`
	// A line per event, an array of events, or the `_bulk` request of Elasticsearch and OpenSearch. One
	// of "jsonl", "array", "elastic".
	Body string `json:"body,omitempty"`
	// Whether bodies are gzip.
	Compress *bool `json:"compress,omitempty"`
}

// HTTPSinkConfigShown is a type of the interface.
type HTTPSinkConfigShown struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// The names of the headers; their values are not shown.
	Headers map[string]any `json:"headers"`
	// A line per event, an array of events, or the `_bulk` request of Elasticsearch and OpenSearch. One
	// of "jsonl", "array", "elastic".
	Body string `json:"body"`
	// Whether bodies are gzip.
	Compress bool `json:"compress"`
}

// Inclusion is a type of the interface.
type Inclusion struct {
	// 1 for the account's first event, then increases by one per event.
	SequenceNumber int64 `json:"sequence_number"`
	// Of the entry in the log, from 0.
	Index int64 `json:"index"`
	// Number of events in the tree.
	Size int64 `json:"size"`
	// The root of the tree: 64 lower-case hexadecimal characters.
	Root string `json:"root"`
	// The hash of the event, which is its leaf.
	Hash string `json:"hash"`
	// The proof, from the leaf up (RFC 6962).
	Hashes []string `json:"hashes"`
	// The signed checkpoint of this size; null if no served epoch that is kept has it.
	Checkpoint *string `json:"checkpoint"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Inclusion) UnmarshalJSON(text []byte) error {
	type plain Inclusion
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// IntakeResult is a type of the interface.
type IntakeResult struct {
	// Items that were stored now.
	Stored int64 `json:"stored"`
	// Items that an earlier request had stored.
	Replayed int64 `json:"replayed"`
	// Items among the stored ones of which something large was left out.
	Reduced int64 `json:"reduced"`
	// Items that are no events.
	Skipped int64 `json:"skipped"`
	// Items that cannot be stored.
	Rejected        int64                             `json:"rejected"`
	FirstRejections []IntakeResultFirstRejectionsItem `json:"first_rejections"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *IntakeResult) UnmarshalJSON(text []byte) error {
	type plain IntakeResult
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// IntakeResultFirstRejectionsItem is a type of the interface.
type IntakeResultFirstRejectionsItem struct {
	// Of the item in the body, from 0.
	Index  int64  `json:"index"`
	Reason string `json:"reason"`
}

// KubernetesEventList is a type of the interface.
type KubernetesEventList struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Each one is an `Event` of audit.k8s.io/v1. One that is not is rejected by itself.
	Items []any `json:"items"`
}

// Log is a type of the interface.
type Log struct {
	// Of the account's log: the origin of the head log, `/` and the account's id.
	Origin string `json:"origin"`
	// Of the head log, whose entries are the epochs.
	LogOrigin string `json:"log_origin"`
	// Verifier keys that sign the head log now, newest first. The account's log is signed with the same
	// public keys under its own origin.
	Vkeys []string `json:"vkeys"`
	// Number of events of the account.
	Size int64 `json:"size"`
	// Null if no epoch covers an event of the account yet.
	Covered *Covered `json:"covered"`
	// The newest epoch, which the witnesses may not have seen yet. Null before the first epoch.
	NewestEpoch *LogNewestEpoch `json:"newest_epoch"`
	// Index of the first entry that can be read. Retention deletes those before it, 256 at a time.
	MinIndex int64 `json:"min_index"`
	// The operator's policy of witnesses. Null without a policy: then each epoch counts at once.
	Policy *string `json:"policy"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Log) UnmarshalJSON(text []byte) error {
	type plain Log
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// LogNewestEpoch is a type of the interface.
type LogNewestEpoch struct {
	Epoch int64 `json:"epoch"`
	// ISO 8601, UTC, six fraction digits.
	Time string `json:"time"`
}

// LogCheckpointedPayload is a type of the interface.
type LogCheckpointedPayload struct {
	// `wh_evt_` and an opaque string.
	ID    string            `json:"id"`
	Event string            `json:"event"`
	Data  AccountCheckpoint `json:"data"`
	// ISO 8601, UTC, six fraction digits.
	Timestamp string `json:"timestamp"`
}

// LostEvents is a type of the interface.
type LostEvents struct {
	// 1 for the account's first event, then increases by one per event.
	FromSequenceNumber int64 `json:"from_sequence_number"`
	// 1 for the account's first event, then increases by one per event.
	ToSequenceNumber int64 `json:"to_sequence_number"`
	// `retention` had deleted them before, or they were `rejected` by the receiver and passed over.
	// `both`: the oldest ranges are joined. One of "retention", "rejected", "both".
	Reason string `json:"reason"`
}

// NewAPIKey is a type of the interface.
type NewAPIKey struct {
	// 1 to 255 characters after trimming, no control characters; need not be unique.
	Name string `json:"name"`
	// Default: all five. Duplicates are ignored.
	Scopes []Scope `json:"scopes,omitzero"`
	// When the key expires: from now to 3650 days from now. Left out: it never does. RFC 3339 with any
	// offset. Accepted as well: no seconds, a comma before the fraction, offsets such as +0100 and +01.
	// Fraction digits beyond the sixth are truncated.
	ExpiresAt string `json:"expires_at,omitempty"`
	// IP addresses and networks that the key may be used from; requests from others get 403. Left out:
	// any.
	AllowedIPs []string `json:"allowed_ips,omitzero"`
}

// NewErasure is a type of the interface.
type NewErasure struct {
	// Select the events of this actor. Exactly one selector is required.
	ActorID string `json:"actor_id,omitempty"`
	// Select the events about this target.
	TargetID string `json:"target_id,omitempty"`
	// Select this event. It is refused if a hold covers it.
	EventID string `json:"event_id,omitempty"`
	// Parts to erase of each event. One of "actor", "context", "diff", "metadata", "target".
	Parts []string `json:"parts"`
	// Your reference, such as the number of a case. It is stored in the chain and cannot be erased, so it
	// must not identify a person.
	Reference string `json:"reference,omitempty"`
}

// NewEvent is a type of the interface.
type NewEvent struct {
	// What was done, such as `invoice.update`.
	Action string  `json:"action"`
	Actor  *Actor  `json:"actor,omitempty"`
	Target *Target `json:"target,omitempty"`
	// Free-form: address, user agent, location.
	Context map[string]any `json:"context,omitzero"`
	Diff    *Diff          `json:"diff,omitempty"`
	// Free-form.
	Metadata map[string]any `json:"metadata,omitzero"`
	// Default: the time of receipt. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredAt string `json:"occurred_at,omitempty"`
}

// NewExport is a type of the interface.
type NewExport struct {
	// Default: jsonl. csv_bom: CSV that begins with a byte order mark, without which Excel misreads
	// letters beyond ASCII. parquet: for DuckDB, ClickHouse and Athena. evidence: a tar file that is
	// verified against the log, with proofs and salts whatever include_proofs says. Its range ends at the
	// last event that the log covers. One of "jsonl", "csv", "csv_bom", "parquet", "evidence".
	Format string        `json:"format,omitempty"`
	Filter *SearchFilter `json:"filter,omitempty"`
	// Whether the file can be verified without the service. Such a file contains salts: anyone who has it
	// can confirm a guess at an erased value. Default: false.
	IncludeProofs *bool `json:"include_proofs,omitempty"`
}

// NewHold is a type of the interface.
type NewHold struct {
	// First event to hold. It may be one that is not stored yet: the hold then covers it from the start.
	FromSequence int64 `json:"from_sequence"`
	// Last event to hold. Default: no end, so later events are held too.
	ToSequence *int64 `json:"to_sequence,omitempty"`
	// Hold only events of this actor. Default: of all actors.
	ActorID string `json:"actor_id,omitempty"`
}

// NewRetention is a type of the interface.
type NewRetention struct {
	// Days after which events are deleted, within what the plan allows. Null: those of the plan.
	Days *int64 `json:"days"`
	// Whether events are archived before they are deleted, if the plan allows it. Without it nothing
	// changes. False takes effect after 7 days.
	Archive *bool `json:"archive,omitempty"`
}

// NewRoleMapping is a type of the interface.
type NewRoleMapping struct {
	// Name of an identity provider of the operator.
	Provider string `json:"provider"`
	// A group as the provider names it, to the character.
	Group string `json:"group,omitempty"`
	// A person as the provider identifies them (`sub`), to the character.
	Subject string `json:"subject,omitempty"`
	// What it gives. Of several mappings the highest role counts, and `none` beats all: who has it may
	// not use the account. One of "none", "viewer", "auditor", "manager".
	Role string `json:"role"`
}

// NewSavedSearch is a type of the interface.
type NewSavedSearch struct {
	// What people call it. Several searches may have the same.
	Name   string        `json:"name"`
	Filter *SearchFilter `json:"filter,omitempty"`
	View   *SearchView   `json:"view,omitempty"`
}

// NewSearchField is a type of the interface.
type NewSearchField struct {
	// Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or
	// `target.meta`, and names of members below it. An array if a name has other characters than A to Z,
	// a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
	Path Strings `json:"path"`
	// What a value is read as. A value that is not of the type is not found by the field. One of
	// "string", "number", "ip", "time".
	Type string `json:"type"`
	// Filters name it as `field.` and this. Default: the path.
	Name string `json:"name,omitempty"`
	// Only for strings: whether a to z and A to Z are the same. Default: false.
	IgnoreCase *bool `json:"ignore_case,omitempty"`
}

// NewSink is one of NewSinkHTTP, NewSinkSplunkHEC, NewSinkOTLPHTTP, NewSinkSyslog, NewSinkS3, NewSinkAzureEventHubs.
type NewSink interface{ isNewSink() }

func (NewSinkHTTP) isNewSink() {}

func (NewSinkSplunkHEC) isNewSink() {}

func (NewSinkOTLPHTTP) isNewSink() {}

func (NewSinkSyslog) isNewSink() {}

func (NewSinkS3) isNewSink() {}

func (NewSinkAzureEventHubs) isNewSink() {}

// NewSinkAzureEventHubs is a type of the interface.
type NewSinkAzureEventHubs struct {
	// One of "azure_event_hubs".
	Type         string                     `json:"type"`
	Config       AzureEventHubsSinkConfig   `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      map[string]any             `json:"mapping,omitzero"`
	From         any                        `json:"from,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// NewSinkHTTP is a type of the interface.
type NewSinkHTTP struct {
	// One of "http".
	Type         string                     `json:"type"`
	Config       HTTPSinkConfig             `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      map[string]any             `json:"mapping,omitzero"`
	From         any                        `json:"from,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// NewSinkOTLPHTTP is a type of the interface.
type NewSinkOTLPHTTP struct {
	// One of "otlp_http".
	Type         string                     `json:"type"`
	Config       OTLPHTTPSinkConfig         `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      map[string]any             `json:"mapping,omitzero"`
	From         any                        `json:"from,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// NewSinkS3 is a type of the interface.
type NewSinkS3 struct {
	// One of "s3".
	Type         string                     `json:"type"`
	Config       S3SinkConfig               `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      map[string]any             `json:"mapping,omitzero"`
	From         any                        `json:"from,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// NewSinkSplunkHEC is a type of the interface.
type NewSinkSplunkHEC struct {
	// One of "splunk_hec".
	Type         string                     `json:"type"`
	Config       SplunkHECSinkConfig        `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      map[string]any             `json:"mapping,omitzero"`
	From         any                        `json:"from,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// NewSinkSyslog is a type of the interface.
type NewSinkSyslog struct {
	// One of "syslog".
	Type         string                     `json:"type"`
	Config       SyslogSinkConfig           `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      map[string]any             `json:"mapping,omitzero"`
	From         any                        `json:"from,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// NewWebhook is a type of the interface.
type NewWebhook struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
	Events []EventPattern `json:"events"`
	// Default: true.
	Active *bool `json:"active,omitempty"`
	// Null, or no member: all events.
	Filter Nullable[NewWebhookFilter] `json:"filter,omitzero"`
}

// NewWebhookFilter: Which events a webhook sends `event.created` for, and which a sink is sent: those
// that match all members, as in GET /v1/events. At most 4,096 bytes as JSON, with path and type of
// each declared field.
type NewWebhookFilter struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings `json:"action,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings `json:"actor_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings `json:"actor_type,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings `json:"target_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings `json:"target_type,omitzero"`
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings `json:"outcome,omitzero"`
	// By declared fields: each by its name. What is stored keeps path and type of them.
	Fields map[string]Strings `json:"fields,omitzero"`
	// Leaves out events that any of these members selects.
	Not *NewWebhookFilterNot `json:"not,omitempty"`
}

// NewWebhookFilterNot: Leaves out events that any of these members selects.
type NewWebhookFilterNot struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings `json:"action,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings `json:"actor_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings `json:"actor_type,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings `json:"target_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings `json:"target_type,omitzero"`
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings `json:"outcome,omitzero"`
	// By declared fields: each by its name. What is stored keeps path and type of them.
	Fields map[string]Strings `json:"fields,omitzero"`
}

// NewWidgetToken is a type of the interface.
type NewWidgetToken struct {
	Filter *EventFilter `json:"filter,omitempty"`
	// Parts of an event to show besides who, what and when. Default: none. One of "actor.meta",
	// "target.meta", "context", "diff", "metadata".
	Parts []string `json:"parts,omitzero"`
	// Seconds until the token expires. Default: 3600.
	ExpiresIn *int64 `json:"expires_in,omitempty"`
	// Origins of the web pages that may use the token. Default: none, only pages of the service itself.
	Origins []string      `json:"origins,omitzero"`
	Viewer  *WidgetViewer `json:"viewer,omitempty"`
}

// NewWorkload is a type of the interface.
type NewWorkload struct {
	// 1 to 255 characters after trimming, no control characters; need not be unique.
	Name string `json:"name"`
	// Name of an issuer of the operator.
	Issuer string `json:"issuer"`
	// The subject (`sub`) of its tokens, to the character. One that ends with `*`, after at least 8
	// characters, is a beginning.
	Subject string `json:"subject"`
	// Further claims that its tokens must have, each with the text of this member. A claim that is no
	// text never fits.
	Claims map[string]string `json:"claims,omitzero"`
	// What it may do.
	Scopes []Scope `json:"scopes"`
	// IP addresses and networks that the key may be used from; requests from others get 403. Left out:
	// any.
	AllowedIPs []string `json:"allowed_ips,omitzero"`
}

// OTLPHTTPSinkConfig is a type of the interface.
type OTLPHTTPSinkConfig struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// Up to 20 headers of each request, with their values, which are secrets. Default: none.
	Headers map[string]any `json:"headers,omitzero"`
}

// OTLPHTTPSinkConfigShown is a type of the interface.
type OTLPHTTPSinkConfigShown struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// The names of the headers; their values are not shown.
	Headers map[string]any `json:"headers"`
}

// Person is a type of the interface.
type Person struct {
	// `usr_` and an opaque string.
	ID       string `json:"id"`
	Provider string `json:"provider"`
	// How the provider identifies them (`sub`).
	Subject string `json:"subject"`
	// As the provider has sent it; null if it has sent none.
	Name *string `json:"name"`
	// As the provider has sent it; null if it has sent none.
	Email *string `json:"email"`
	// One of "viewer", "auditor", "manager".
	Role string `json:"role"`
	// The mapping that gives the role.
	RoleMappingID string `json:"role_mapping_id"`
	// ISO 8601, UTC, six fraction digits.
	LastLoginAt string `json:"last_login_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Person) UnmarshalJSON(text []byte) error {
	type plain Person
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// PersonPage is a type of the interface.
type PersonPage struct {
	Data []Person `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *PersonPage) UnmarshalJSON(text []byte) error {
	type plain PersonPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// Proof: The data needed to recompute the hash, besides the event.
type Proof struct {
	V float64 `json:"v"`
	// The account: `acct_` and an opaque string.
	Chain string `json:"chain"`
	// By part. Absent if the part is erased.
	Salts   ProofSalts   `json:"salts"`
	Digests ProofDigests `json:"digests"`
}

// ProofSalts: By part. Absent if the part is erased.
type ProofSalts struct {
	Actor    string `json:"actor,omitempty"`
	Context  string `json:"context,omitempty"`
	Diff     string `json:"diff,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	Target   string `json:"target,omitempty"`
}

// ProofDigests is a type of the interface.
type ProofDigests struct {
	Actor    string `json:"actor"`
	Context  string `json:"context"`
	Diff     string `json:"diff"`
	Metadata string `json:"metadata"`
	Target   string `json:"target"`
}

// QueuedDeliveries is a type of the interface.
type QueuedDeliveries struct {
	// How many deliveries were queued.
	Deliveries int64 `json:"deliveries"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *QueuedDeliveries) UnmarshalJSON(text []byte) error {
	type plain QueuedDeliveries
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// QueuedDelivery: The new delivery.
type QueuedDelivery struct {
	// `wh_del_` and an opaque string.
	ID string `json:"id"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *QueuedDelivery) UnmarshalJSON(text []byte) error {
	type plain QueuedDelivery
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// RejectedEvent is a type of the interface.
type RejectedEvent struct {
	// 1 for the account's first event, then increases by one per event.
	SequenceNumber int64 `json:"sequence_number"`
	// `evt_` and an opaque string.
	ID string `json:"id"`
	// Status of the response, or of the item in it.
	Status *int64 `json:"status"`
	// What the receiver has said, up to 200 characters, without the secrets of the sink.
	Reason string `json:"reason"`
}

// ReplayRange is a type of the interface.
type ReplayRange struct {
	// First event of the range.
	FromSequenceNumber int64 `json:"from_sequence_number"`
	// Last event of the range.
	ToSequenceNumber int64 `json:"to_sequence_number"`
}

// Retention is a type of the interface.
type Retention struct {
	Days *int64 `json:"days"`
	// What says `days`. Null without days.
	LimitedBy *string `json:"limited_by"`
	PlanDays  *int64  `json:"plan_days"`
	// The shortest time that can be set.
	MinDays     int64  `json:"min_days"`
	AccountDays *int64 `json:"account_days"`
	// When `account_days` takes effect, if it is shorter than what is in force. Null: it is in force.
	ShorterFrom *string `json:"shorter_from"`
	// Last event that the newest event `annals.retention` names. 0 before the first one.
	ThroughSequence int64 `json:"through_sequence"`
	// First event that is not deleted.
	RetainedFrom int64 `json:"retained_from"`
	// The active hold that begins first: nothing from its first event on is deleted. Null: no hold is
	// active.
	Hold *string `json:"hold"`
	// Whether events are archived before they are deleted.
	Archive bool `json:"archive"`
	// Until when they still are, after `archive` was set to false. Null: it has no end, or has ended.
	ArchiveUntil *string `json:"archive_until"`
	// Last event that is archived. 0 without one.
	ArchivedThrough int64 `json:"archived_through"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Retention) UnmarshalJSON(text []byte) error {
	type plain Retention
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// RoleMapping is a type of the interface.
type RoleMapping struct {
	// `rmap_` and an opaque string.
	ID string `json:"id"`
	// Name of an identity provider of the operator.
	Provider string `json:"provider"`
	// Null for a mapping of a subject.
	Group *string `json:"group"`
	// Null for a mapping of a group.
	Subject *string `json:"subject"`
	// What it gives. Of several mappings the highest role counts, and `none` beats all: who has it may
	// not use the account. One of "none", "viewer", "auditor", "manager".
	Role string `json:"role"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *RoleMapping) UnmarshalJSON(text []byte) error {
	type plain RoleMapping
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// RoleMappingPage is a type of the interface.
type RoleMappingPage struct {
	Data []RoleMapping `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *RoleMappingPage) UnmarshalJSON(text []byte) error {
	type plain RoleMappingPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// RotatedWebhook is a type of the interface.
type RotatedWebhook struct {
	// `wh_` and an opaque string.
	ID  string `json:"id"`
	URL string `json:"url"`
	// The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
	Events []EventPattern `json:"events"`
	Active bool           `json:"active"`
	// ISO 8601, UTC.
	CreatedAt string         `json:"created_at"`
	Filter    *WebhookFilter `json:"filter,omitempty"`
	// Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its
	// filter would leave out less, because a value of `not` was erased. Absent if it did not. One of
	// "failing", "erasure".
	DisabledReason string `json:"disabled_reason,omitempty"`
	// When the service disabled the webhook; ISO 8601, UTC.
	DisabledAt string             `json:"disabled_at,omitempty"`
	Dropped    *DroppedDeliveries `json:"dropped,omitempty"`
	// The signing secret, `whsec_` and base64. Shown only in this response.
	Secret string `json:"secret"`
	// Null if the old secret is no longer valid.
	PreviousSecretExpiresAt *string `json:"previous_secret_expires_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *RotatedWebhook) UnmarshalJSON(text []byte) error {
	type plain RotatedWebhook
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// S3SinkConfig is a type of the interface.
type S3SinkConfig struct {
	// Name of the bucket.
	Bucket string `json:"bucket"`
	// What object names begin with; empty, or ends in a slash.
	Prefix string `json:"prefix,omitempty"`
	// Region of the bucket.
	Region string `json:"region"`
	// An HTTPS URL of a public host, without a user name.
	Endpoint    string           `json:"endpoint,omitempty"`
	Credentials *SinkCredentials `json:"credentials,omitempty"`
}

// S3SinkConfigShown is a type of the interface.
type S3SinkConfigShown struct {
	// Name of the bucket.
	Bucket string `json:"bucket"`
	// What object names begin with; empty, or ends in a slash.
	Prefix string `json:"prefix"`
	// Region of the bucket.
	Region string `json:"region"`
	// An HTTPS URL of a public host, without a user name.
	Endpoint    string                        `json:"endpoint,omitempty"`
	Credentials *S3SinkConfigShownCredentials `json:"credentials,omitempty"`
}

// S3SinkConfigShownCredentials is a type of the interface.
type S3SinkConfigShownCredentials struct {
	// Id of the access key.
	AccessKeyID string `json:"access_key_id"`
}

// SavedSearch is a type of the interface.
type SavedSearch struct {
	// `srch_` and an opaque string.
	ID string `json:"id"`
	// What people call it. Several searches may have the same.
	Name   string       `json:"name"`
	Filter SearchFilter `json:"filter"`
	View   SearchView   `json:"view"`
	// The declared fields that the filter names, as they were when it was set. A list takes only fields
	// that are declared now.
	Fields []SavedSearchFieldsItem `json:"fields"`
	// Whether an erasure has taken a value out of it since its filter was set: then it selects other
	// events.
	HasErased bool `json:"has_erased"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// ISO 8601, UTC, six fraction digits.
	UpdatedAt string `json:"updated_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SavedSearch) UnmarshalJSON(text []byte) error {
	type plain SavedSearch
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SavedSearchFieldsItem is a type of the interface.
type SavedSearchFieldsItem struct {
	// Filters name it as `field.` and this. Default: the path.
	Name string `json:"name"`
	// Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or
	// `target.meta`, and names of members below it. An array if a name has other characters than A to Z,
	// a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
	Path Strings `json:"path"`
	// What a value is read as. A value that is not of the type is not found by the field. One of
	// "string", "number", "ip", "time".
	Type string `json:"type"`
	// Only for strings: whether a to z and A to Z are the same. Default: false.
	IgnoreCase bool `json:"ignore_case"`
}

// SavedSearchUpdate is a type of the interface.
type SavedSearchUpdate struct {
	// What people call it. Several searches may have the same.
	Name   string        `json:"name,omitempty"`
	Filter *SearchFilter `json:"filter,omitempty"`
	View   *SearchView   `json:"view,omitempty"`
}

// Scope: What a key may do.
type Scope string

const (
	ScopeEventsRead  Scope = "events:read"
	ScopeEventsWrite Scope = "events:write"
	ScopeVerify      Scope = "verify"
	ScopeExport      Scope = "export"
	ScopeKeysManage  Scope = "keys:manage"
)

// SearchField is a type of the interface.
type SearchField struct {
	// `field_` and an opaque string.
	ID string `json:"id"`
	// Filters name it as `field.` and this. Default: the path.
	Name string `json:"name"`
	// Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or
	// `target.meta`, and names of members below it. An array if a name has other characters than A to Z,
	// a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
	Path Strings `json:"path"`
	// What a value is read as. A value that is not of the type is not found by the field. One of
	// "string", "number", "ip", "time".
	Type string `json:"type"`
	// Only for strings: whether a to z and A to Z are the same. Default: false.
	IgnoreCase bool `json:"ignore_case"`
	// `building`: older events are still put into its index. Filters find them meanwhile, but more
	// slowly. One of "building", "ready".
	Status string `json:"status"`
	// The first event from which on its index has all that were indexed.
	IndexedFrom int64 `json:"indexed_from"`
	// Older events, which its index does not have yet.
	LagEvents int64 `json:"lag_events"`
	// Events of which `bytes_per_event` and `uncounted` are: 65,536 of the newest that the index has, or
	// 4,096 while it has no such part; 0 before that.
	MeasuredEvents int64 `json:"measured_events"`
	// What its index took of them when they were indexed, by event: of all, also of those without a
	// value. Null if `measured_events` is 0.
	BytesPerEvent *float64 `json:"bytes_per_event"`
	// Those of them whose values are too many or too long for its index, so that every search of the
	// field compares them. Null if `measured_events` is 0.
	Uncounted *int64 `json:"uncounted"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SearchField) UnmarshalJSON(text []byte) error {
	type plain SearchField
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SearchFilter: The same filters as GET /v1/events. Default: all events.
type SearchFilter struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings `json:"action,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings `json:"actor_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings `json:"actor_type,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings `json:"target_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings `json:"target_type,omitzero"`
	// At or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredFrom string `json:"occurred_from,omitempty"`
	// Before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before the
	// fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	OccurredTo string `json:"occurred_to,omitempty"`
	// Received at or after this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma
	// before the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedFrom string `json:"received_from,omitempty"`
	// Received before this time. RFC 3339 with any offset. Accepted as well: no seconds, a comma before
	// the fraction, offsets such as +0100 and +01. Fraction digits beyond the sixth are truncated.
	ReceivedTo string `json:"received_to,omitempty"`
	// Above this sequence number.
	AfterSequence *int64 `json:"after_sequence,omitempty"`
	// Below this sequence number.
	BeforeSequence *int64 `json:"before_sequence,omitempty"`
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings `json:"outcome,omitzero"`
	// By declared fields: each by its name. What is stored keeps path and type of them.
	Fields map[string]Strings `json:"fields,omitzero"`
	// Leaves out events that any of these members selects.
	Not *SearchFilterNot `json:"not,omitempty"`
	// Anywhere in the action, an id, a type or the JSON of a part, with the names of its members; a to z
	// and A to Z are the same. It has no index: other filters make it quicker.
	Text string `json:"text,omitempty"`
}

// SearchFilterNot: Leaves out events that any of these members selects.
type SearchFilterNot struct {
	// An exact match; with a `*` at the end, a prefix. One of up to 10 values, 20 in all filters.
	Action Strings `json:"action,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorID Strings `json:"actor_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	ActorType Strings `json:"actor_type,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetID Strings `json:"target_id,omitzero"`
	// Exact. One of up to 10 values, 20 in all filters.
	TargetType Strings `json:"target_type,omitzero"`
	// Of `metadata.outcome`: exact; with a `*` at the end, a prefix; `*` alone: any. One of up to 10
	// values, 20 in all filters.
	Outcome Strings `json:"outcome,omitzero"`
	// By declared fields: each by its name. What is stored keeps path and type of them.
	Fields map[string]Strings `json:"fields,omitzero"`
}

// SearchPath is a type of the interface.
type SearchPath struct {
	// Where the value is in an event: `context`, `metadata`, `diff.before`, `diff.after`, `actor.meta` or
	// `target.meta`, and names of members below it. An array if a name has other characters than A to Z,
	// a to z, 0 to 9, _ and -. An array in an event gives each of its elements.
	Path Strings `json:"path"`
	// What a value is read as. A value that is not of the type is not found by the field. One of
	// "string", "number", "ip", "time".
	Type string `json:"type"`
	// How many of the events that were read have a value there.
	Share float64 `json:"share"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SearchPath) UnmarshalJSON(text []byte) error {
	type plain SearchPath
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SearchView: How it is shown. The service keeps it and does not read it.
type SearchView struct {
	// The range of time as the screen that saved it writes it.
	Range string `json:"range,omitempty"`
	// The columns of the table, in order.
	Columns []string `json:"columns,omitzero"`
	// The field that splits the bars.
	By string `json:"by,omitempty"`
}

// SecretRotation is a type of the interface.
type SecretRotation struct {
	// How long deliveries are also signed with the old secret. Default: 86400.
	GraceSeconds *int64 `json:"grace_seconds,omitempty"`
}

// Sink is a type of the interface.
type Sink struct {
	// `sink_` and an opaque string.
	ID           string         `json:"id"`
	Type         SinkType       `json:"type"`
	Format       SinkFormat     `json:"format"`
	Filter       *WebhookFilter `json:"filter,omitempty"`
	LeaveOut     []string       `json:"leave_out"`
	IncludeProof bool           `json:"include_proof"`
	// Classes of OCSF by action. Absent: those of the service.
	Mapping    map[string]any `json:"mapping,omitzero"`
	Config     any            `json:"config"`
	OnRejected SinkOnRejected `json:"on_rejected"`
	Active     bool           `json:"active"`
	Status     SinkState      `json:"status"`
	// ISO 8601, UTC.
	CreatedAt string `json:"created_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Sink) UnmarshalJSON(text []byte) error {
	type plain Sink
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SinkCredentials is a type of the interface.
type SinkCredentials struct {
	// Id of the access key.
	AccessKeyID string `json:"access_key_id"`
	// A secret.
	SecretAccessKey string `json:"secret_access_key"`
}

// SinkFormat: What an event is sent as. `annals`: as in lists, with its `chain`.
type SinkFormat string

const (
	SinkFormatAnnals      SinkFormat = "annals"
	SinkFormatOcsf        SinkFormat = "ocsf"
	SinkFormatEcs         SinkFormat = "ecs"
	SinkFormatCloudevents SinkFormat = "cloudevents"
)

// SinkOnRejected: What is done with a single event that the receiver refuses for good (400, 413,
// 422). `stop`: it is sent again, and nothing after it. `skip`: it is passed over, and recorded.
// Default: stop.
type SinkOnRejected string

const (
	SinkOnRejectedStop SinkOnRejected = "stop"
	SinkOnRejectedSkip SinkOnRejected = "skip"
)

// SinkPage is a type of the interface.
type SinkPage struct {
	Data []Sink `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SinkPage) UnmarshalJSON(text []byte) error {
	type plain SinkPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SinkReplay is a type of the interface.
type SinkReplay struct {
	// The event that is sent next; at most the next one of the chain.
	FromSequenceNumber int64 `json:"from_sequence_number"`
}

// SinkReplayed is a type of the interface.
type SinkReplayed struct {
	// 1 for the account's first event, then increases by one per event.
	FromSequenceNumber int64 `json:"from_sequence_number"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SinkReplayed) UnmarshalJSON(text []byte) error {
	type plain SinkReplayed
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SinkSkip is a type of the interface.
type SinkSkip struct {
	// The event that `rejected` of the status names.
	SequenceNumber int64 `json:"sequence_number"`
}

// SinkSkipped is a type of the interface.
type SinkSkipped struct {
	// 1 for the account's first event, then increases by one per event.
	SequenceNumber int64 `json:"sequence_number"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SinkSkipped) UnmarshalJSON(text []byte) error {
	type plain SinkSkipped
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SinkState: `failing`: the last attempt failed, and the next one is due. `paused`: by `active:
// false`.
type SinkState string

const (
	SinkStateActive  SinkState = "active"
	SinkStateFailing SinkState = "failing"
	SinkStatePaused  SinkState = "paused"
)

// SinkStatus is a type of the interface.
type SinkStatus struct {
	Status SinkState `json:"status"`
	// Number of the last event that the receiver has acknowledged, or that the filter left out; 0: none
	// yet.
	Cursor int64 `json:"cursor"`
	// Number of the last event of the chain.
	Head int64 `json:"head"`
	// Events after the cursor.
	LagEvents int64 `json:"lag_events"`
	// How long the first of them has waited; 0 at the head.
	LagSeconds float64 `json:"lag_seconds"`
	// Why the last attempt failed; null if it did not.
	LastError *string `json:"last_error"`
	// Null if nothing was sent yet.
	LastDeliveredAt *string `json:"last_delivered_at"`
	// Null while the sink is paused.
	NextAttemptAt *string `json:"next_attempt_at"`
	// Ranges that are never sent, both ends included.
	Lost []LostEvents `json:"lost"`
	// The one event that the receiver refuses for good; null without one.
	Rejected *RejectedEvent `json:"rejected"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SinkStatus) UnmarshalJSON(text []byte) error {
	type plain SinkStatus
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SinkTest is a type of the interface.
type SinkTest struct {
	Success bool `json:"success"`
	// Why the receiver did not accept it; null after a success.
	Error *string `json:"error"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *SinkTest) UnmarshalJSON(text []byte) error {
	type plain SinkTest
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// SinkType: What receives the events. It cannot be changed.
type SinkType string

const (
	SinkTypeHTTP           SinkType = "http"
	SinkTypeSplunkHEC      SinkType = "splunk_hec"
	SinkTypeOTLPHTTP       SinkType = "otlp_http"
	SinkTypeSyslog         SinkType = "syslog"
	SinkTypeS3             SinkType = "s3"
	SinkTypeAzureEventHubs SinkType = "azure_event_hubs"
)

// SinkUpdate is one of SinkUpdatePlain, SinkUpdateHTTP, SinkUpdateSplunkHEC, SinkUpdateOTLPHTTP, SinkUpdateSyslog, SinkUpdateS3, SinkUpdateAzureEventHubs.
type SinkUpdate interface{ isSinkUpdate() }

func (SinkUpdatePlain) isSinkUpdate() {}

func (SinkUpdateHTTP) isSinkUpdate() {}

func (SinkUpdateSplunkHEC) isSinkUpdate() {}

func (SinkUpdateOTLPHTTP) isSinkUpdate() {}

func (SinkUpdateSyslog) isSinkUpdate() {}

func (SinkUpdateS3) isSinkUpdate() {}

func (SinkUpdateAzureEventHubs) isSinkUpdate() {}

// SinkUpdateAzureEventHubs is a type of the interface.
type SinkUpdateAzureEventHubs struct {
	// One of "azure_event_hubs".
	Type         string                     `json:"type"`
	Config       AzureEventHubsSinkConfig   `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SinkUpdateHTTP is a type of the interface.
type SinkUpdateHTTP struct {
	// One of "http".
	Type         string                     `json:"type"`
	Config       HTTPSinkConfig             `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SinkUpdateOTLPHTTP is a type of the interface.
type SinkUpdateOTLPHTTP struct {
	// One of "otlp_http".
	Type         string                     `json:"type"`
	Config       OTLPHTTPSinkConfig         `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SinkUpdatePlain is a type of the interface.
type SinkUpdatePlain struct {
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SinkUpdateS3 is a type of the interface.
type SinkUpdateS3 struct {
	// One of "s3".
	Type         string                     `json:"type"`
	Config       S3SinkConfig               `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SinkUpdateSplunkHEC is a type of the interface.
type SinkUpdateSplunkHEC struct {
	// One of "splunk_hec".
	Type         string                     `json:"type"`
	Config       SplunkHECSinkConfig        `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SinkUpdateSyslog is a type of the interface.
type SinkUpdateSyslog struct {
	// One of "syslog".
	Type         string                     `json:"type"`
	Config       SyslogSinkConfig           `json:"config"`
	Format       SinkFormat                 `json:"format,omitempty"`
	Mapping      Nullable[map[string]any]   `json:"mapping,omitzero"`
	Filter       Nullable[NewWebhookFilter] `json:"filter,omitzero"`
	LeaveOut     []string                   `json:"leave_out,omitzero"`
	IncludeProof *bool                      `json:"include_proof,omitempty"`
	OnRejected   SinkOnRejected             `json:"on_rejected,omitempty"`
	Active       *bool                      `json:"active,omitempty"`
}

// SplunkHECSinkConfig is a type of the interface.
type SplunkHECSinkConfig struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// The token of the collector, a secret.
	Token string `json:"token"`
	// Index of Splunk. Default: that of the token.
	Index string `json:"index,omitempty"`
	// Whether a batch counts as received when the indexer acknowledges it.
	Ack *bool `json:"ack,omitempty"`
}

// SplunkHECSinkConfigShown is a type of the interface.
type SplunkHECSinkConfigShown struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url"`
	// Index of Splunk. Default: that of the token.
	Index string `json:"index,omitempty"`
	// Whether a batch counts as received when the indexer acknowledges it.
	Ack bool `json:"ack"`
}

// SyslogSinkConfig is a type of the interface.
type SyslogSinkConfig struct {
	// Name or address of a public host.
	Host string `json:"host"`
	Port int64  `json:"port"`
}

// SyslogSinkConfigShown is a type of the interface.
type SyslogSinkConfigShown struct {
	// Name or address of a public host.
	Host string `json:"host"`
	Port int64  `json:"port"`
}

// Target: What the action was done to.
type Target struct {
	// What kind of thing was acted upon.
	Type string `json:"type,omitempty"`
	// Which one.
	ID string `json:"id,omitempty"`
	// Free-form.
	Meta map[string]any `json:"meta,omitzero"`
}

// Usage is a type of the interface.
type Usage struct {
	AccountID string `json:"account_id"`
	// The API key of this request, or the person.
	Key  UsageKey  `json:"key"`
	Plan UsagePlan `json:"plan"`
	// Requests of this key in its window of 60 seconds, including this one.
	Requests UsageRequests `json:"requests"`
	// Requests of all keys and widget tokens of the account in its window of 60 seconds.
	AccountRequests UsageAccountRequests `json:"account_requests"`
	// Events that were stored, with those that retention has deleted. No plan limits them.
	Events UsageEvents `json:"events"`
	// Events of this month that count against the plan.
	MonthEvents UsageMonthEvents `json:"month_events"`
	// Live keys.
	APIKeys UsageAPIKeys `json:"api_keys"`
	// Live tokens.
	WidgetTokens UsageWidgetTokens `json:"widget_tokens"`
	// Live widget tokens created by this key.
	WidgetTokensOfKey UsageWidgetTokensOfKey `json:"widget_tokens_of_key"`
	// Null if the plan does not include the feature.
	Webhooks *UsageWebhooks `json:"webhooks"`
	// Null if the plan does not include the feature.
	Sinks *UsageSinks `json:"sinks"`
	// Null if the plan does not include the feature.
	PendingDeliveries *UsagePendingDeliveries `json:"pending_deliveries"`
	// Null if the plan does not include the feature.
	PendingDeliveryBytes *UsagePendingDeliveryBytes `json:"pending_delivery_bytes"`
	// Null if the plan does not include the feature.
	Exports *UsageExports `json:"exports"`
	// Null if the plan does not include the feature.
	ExportBytes *UsageExportBytes `json:"export_bytes"`
	// Null if the plan does not include the feature.
	ExportsUnderWay *UsageExportsUnderWay `json:"exports_under_way"`
	// Null if the plan does not include the feature.
	EventsExportedToday *UsageEventsExportedToday `json:"events_exported_today"`
	// Null if the plan does not include the feature.
	EventsReplayedToday *UsageEventsReplayedToday `json:"events_replayed_today"`
	// How long an `Idempotency-Key` is kept.
	IdempotencyHours int64              `json:"idempotency_hours"`
	RetentionDays    UsageRetentionDays `json:"retention_days"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Usage) UnmarshalJSON(text []byte) error {
	type plain Usage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// UsageKey: The API key of this request, or the person.
type UsageKey struct {
	// `key_` and an opaque string, or `usr_` for a person.
	ID     string  `json:"id"`
	Scopes []Scope `json:"scopes"`
	// Of a person. One of "viewer", "auditor", "manager".
	Role string `json:"role,omitempty"`
}

// UsagePlan is a type of the interface.
type UsagePlan struct {
	Name string `json:"name"`
	// What the plan includes. One of "webhooks", "exports", "verify", "lifecycle".
	Features []string `json:"features"`
}

// UsageRequests: Requests of this key in its window of 60 seconds, including this one.
type UsageRequests struct {
	Used  int64 `json:"used"`
	Limit int64 `json:"limit"`
	// Seconds until the window ends.
	ResetsIn int64 `json:"resets_in"`
}

// UsageAccountRequests: Requests of all keys and widget tokens of the account in its window of 60
// seconds.
type UsageAccountRequests struct {
	Used  int64 `json:"used"`
	Limit int64 `json:"limit"`
	// Seconds until the window ends.
	ResetsIn int64 `json:"resets_in"`
}

// UsageEvents: Events that were stored, with those that retention has deleted. No plan limits them.
type UsageEvents struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageMonthEvents: Events of this month that count against the plan.
type UsageMonthEvents struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
	// The month, in UTC.
	Month string `json:"month"`
}

// UsageAPIKeys: Live keys.
type UsageAPIKeys struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageWidgetTokens: Live tokens.
type UsageWidgetTokens struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageWidgetTokensOfKey: Live widget tokens created by this key.
type UsageWidgetTokensOfKey struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageWebhooks: Webhooks.
type UsageWebhooks struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageSinks: Sinks.
type UsageSinks struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsagePendingDeliveries: Deliveries that wait for their next attempt.
type UsagePendingDeliveries struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsagePendingDeliveryBytes: Bytes of the bodies of these deliveries.
type UsagePendingDeliveryBytes struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageExports: Exports, finished or not.
type UsageExports struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageExportBytes: Bytes of all export files, including those that are being written or were just
// deleted.
type UsageExportBytes struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageExportsUnderWay: Unfinished exports.
type UsageExportsUnderWay struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageEventsExportedToday: Events that exports have read in this day of UTC. The export that passes
// the limit is the day's last one.
type UsageEventsExportedToday struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageEventsReplayedToday: Events that were replayed to webhooks and sinks in this day of UTC. The
// replay that passes the limit is the day's last one.
type UsageEventsReplayedToday struct {
	Used int64 `json:"used"`
	// Null if there is no limit.
	Limit *int64 `json:"limit"`
}

// UsageRetentionDays is a type of the interface.
type UsageRetentionDays struct {
	// How long the record of a delivery is kept. Null if the plan does not include the feature.
	Deliveries *int64 `json:"deliveries"`
	// How long an export is kept. Null if exports do not expire. Null if the plan does not include the
	// feature.
	Exports *int64 `json:"exports"`
}

// Verification is a type of the interface.
type Verification struct {
	Valid bool `json:"valid"`
	// Number of events that were checked.
	Checked int64 `json:"checked"`
	// First event of the range.
	FromSequence int64 `json:"from_sequence"`
	// Last event of the range.
	ToSequence int64 `json:"to_sequence"`
	// Number of erased parts in the range. With first_invalid, at least of those before it.
	Erased int64 `json:"erased"`
	// First event of the chain that retention has not deleted.
	RetainedFrom int64            `json:"retained_from"`
	Head         VerificationHead `json:"head"`
	// The first event that does not verify; null for a valid chain.
	FirstInvalid *VerificationFirstInvalid `json:"first_invalid"`
	// Null if no epoch covers an event of the account yet.
	Covered *Covered `json:"covered"`
	// ISO 8601, UTC, six fraction digits.
	VerifiedAt string `json:"verified_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Verification) UnmarshalJSON(text []byte) error {
	type plain Verification
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// VerificationHead is a type of the interface.
type VerificationHead struct {
	// Sequence number of the chain's last event; 0 for an empty chain.
	SequenceNumber int64 `json:"sequence_number"`
	// 64 lower-case hexadecimal characters.
	Hash string `json:"hash"`
}

// VerificationFirstInvalid is a type of the interface.
type VerificationFirstInvalid struct {
	SequenceNumber int64 `json:"sequence_number"`
	// Null if no event has this number.
	EventID *string `json:"event_id"`
	// One of "hash_mismatch", "link_mismatch", "sequence_gap", "digest_mismatch", "head_mismatch",
	// "tree_mismatch", "erasure_unrecorded".
	Reason string `json:"reason"`
}

// Webhook is a type of the interface.
type Webhook struct {
	// `wh_` and an opaque string.
	ID  string `json:"id"`
	URL string `json:"url"`
	// The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
	Events []EventPattern `json:"events"`
	Active bool           `json:"active"`
	// ISO 8601, UTC.
	CreatedAt string         `json:"created_at"`
	Filter    *WebhookFilter `json:"filter,omitempty"`
	// Why the service disabled the webhook. `failing`: its receiver failed for days. `erasure`: its
	// filter would leave out less, because a value of `not` was erased. Absent if it did not. One of
	// "failing", "erasure".
	DisabledReason string `json:"disabled_reason,omitempty"`
	// When the service disabled the webhook; ISO 8601, UTC.
	DisabledAt string             `json:"disabled_at,omitempty"`
	Dropped    *DroppedDeliveries `json:"dropped,omitempty"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Webhook) UnmarshalJSON(text []byte) error {
	type plain Webhook
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WebhookFilter: Which events a webhook sends `event.created` for, and which a sink is sent. Absent:
// all. A member without values, which an erasure leaves, matches none.
type WebhookFilter struct {
	Action     []string `json:"action,omitzero"`
	ActorID    []string `json:"actor_id,omitzero"`
	ActorType  []string `json:"actor_type,omitzero"`
	TargetID   []string `json:"target_id,omitzero"`
	TargetType []string `json:"target_type,omitzero"`
	Outcome    []string `json:"outcome,omitzero"`
	// By declared fields: each by the name that it had when the filter was set.
	Fields map[string][]string `json:"fields,omitzero"`
	// What is left out: events that any of these members selects.
	Not *WebhookFilterNot `json:"not,omitempty"`
}

// WebhookFilterNot: What is left out: events that any of these members selects.
type WebhookFilterNot struct {
	Action     []string `json:"action,omitzero"`
	ActorID    []string `json:"actor_id,omitzero"`
	ActorType  []string `json:"actor_type,omitzero"`
	TargetID   []string `json:"target_id,omitzero"`
	TargetType []string `json:"target_type,omitzero"`
	Outcome    []string `json:"outcome,omitzero"`
	// By declared fields: each by the name that it had when the filter was set.
	Fields map[string][]string `json:"fields,omitzero"`
}

// WebhookPage is a type of the interface.
type WebhookPage struct {
	Data []Webhook `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WebhookPage) UnmarshalJSON(text []byte) error {
	type plain WebhookPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WebhookTestPayload is a type of the interface.
type WebhookTestPayload struct {
	// `wh_evt_` and an opaque string.
	ID    string                 `json:"id"`
	Event string                 `json:"event"`
	Data  WebhookTestPayloadData `json:"data"`
	// ISO 8601, UTC, six fraction digits.
	Timestamp string `json:"timestamp"`
}

// WebhookTestPayloadData is a type of the interface.
type WebhookTestPayloadData struct {
	// `wh_` and an opaque string.
	WebhookID string `json:"webhook_id"`
}

// WebhookUpdate is a type of the interface.
type WebhookUpdate struct {
	// An HTTPS URL of a public host, without a user name.
	URL string `json:"url,omitempty"`
	// The events to deliver; `*` means all but `log.checkpointed`. Duplicates are ignored.
	Events []EventPattern `json:"events,omitzero"`
	Active *bool          `json:"active,omitempty"`
	// Null, or no member: all events.
	Filter Nullable[NewWebhookFilter] `json:"filter,omitzero"`
}

// WidgetCovered is a type of the interface.
type WidgetCovered struct {
	// The last event that the epoch covers.
	SequenceNumber int64 `json:"sequence_number"`
	// Number of the epoch: the head log's entry with the index before it.
	Epoch int64 `json:"epoch"`
	// When the epoch was closed. ISO 8601, UTC, six fraction digits.
	Time string `json:"time"`
	// How many witnesses of the policy have cosigned the epoch.
	WitnessCount int64 `json:"witness_count"`
}

// WidgetEvent: An event. context, diff, metadata and meta: absent if the token does not show it.
type WidgetEvent struct {
	// `evt_` and an opaque string.
	ID string `json:"id"`
	// 1 for the account's first event, then increases by one per event.
	SequenceNumber int64 `json:"sequence_number"`
	// What was done, such as `invoice.update`.
	Action string `json:"action"`
	Actor  Actor  `json:"actor"`
	Target Target `json:"target"`
	// 64 lower-case hexadecimal characters.
	Hash string `json:"hash"`
	// Hash of the preceding event; 64 zeros for the first event.
	PreviousHash string `json:"previous_hash"`
	// When the event happened, according to the client. UTC, six fraction digits.
	OccurredAt string `json:"occurred_at"`
	// When the service had received the complete request.
	ReceivedAt string `json:"received_at"`
	// When the event was added to the chain.
	CreatedAt string `json:"created_at"`
	// The parts that were erased after the event was stored. Absent if it has all parts. One of "actor",
	// "context", "diff", "metadata", "target".
	Erased []string `json:"erased,omitzero"`
	// Free-form: address, user agent, location.
	Context map[string]any `json:"context,omitzero"`
	Diff    *Diff          `json:"diff,omitempty"`
	// Free-form.
	Metadata map[string]any `json:"metadata,omitzero"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetEvent) UnmarshalJSON(text []byte) error {
	type plain WidgetEvent
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetEventPage is a type of the interface.
type WidgetEventPage struct {
	Data   []WidgetEvent `json:"data"`
	Proofs []WidgetProof `json:"proofs"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetEventPage) UnmarshalJSON(text []byte) error {
	type plain WidgetEventPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetEventWithProof is a type of the interface.
type WidgetEventWithProof struct {
	Data  WidgetEvent `json:"data"`
	Proof WidgetProof `json:"proof"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetEventWithProof) UnmarshalJSON(text []byte) error {
	type plain WidgetEventWithProof
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetFilters is a type of the interface.
type WidgetFilters struct {
	// At most 200.
	Actions []string `json:"actions"`
	// At most 200.
	ActorTypes []string `json:"actor_types"`
	// At most 200.
	TargetTypes []string `json:"target_types"`
	// Whether there may be more values: in older events, or beyond the first 200.
	Truncated bool `json:"truncated"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetFilters) UnmarshalJSON(text []byte) error {
	type plain WidgetFilters
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetLog is a type of the interface.
type WidgetLog struct {
	// Of the head log. Null if the service keeps no log.
	LogOrigin *string `json:"log_origin"`
	// Null if no epoch covers an event of the account yet.
	Covered *WidgetCovered `json:"covered"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetLog) UnmarshalJSON(text []byte) error {
	type plain WidgetLog
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetProof: The data needed to recompute the hash, besides the event.
type WidgetProof struct {
	V float64 `json:"v"`
	// The account: `acct_` and an opaque string.
	Chain string `json:"chain"`
	// By part. Absent if the token does not show it. Absent if the part is erased.
	Salts   WidgetProofSalts   `json:"salts"`
	Digests WidgetProofDigests `json:"digests"`
}

// WidgetProofSalts: By part. Absent if the token does not show it. Absent if the part is erased.
type WidgetProofSalts struct {
	Actor    string `json:"actor,omitempty"`
	Context  string `json:"context,omitempty"`
	Diff     string `json:"diff,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	Target   string `json:"target,omitempty"`
}

// WidgetProofDigests is a type of the interface.
type WidgetProofDigests struct {
	Actor    string `json:"actor"`
	Context  string `json:"context"`
	Diff     string `json:"diff"`
	Metadata string `json:"metadata"`
	Target   string `json:"target"`
}

// WidgetToken is a type of the interface.
type WidgetToken struct {
	// `wtok_` and an opaque string.
	ID string `json:"id"`
	// The start of the token, three dots, its last two characters.
	TokenPrefix string      `json:"token_prefix"`
	Filter      EventFilter `json:"filter"`
	// Parts of an event to show besides who, what and when. Default: none. One of "actor.meta",
	// "target.meta", "context", "diff", "metadata".
	Parts []string `json:"parts"`
	// Origins of the web pages that may use the token. Default: none, only pages of the service itself.
	Origins []string `json:"origins"`
	// Null if no viewer was named.
	Viewer *WidgetViewer `json:"viewer"`
	// When the token expires; ISO 8601, UTC.
	ExpiresAt string `json:"expires_at"`
	// ISO 8601, UTC.
	CreatedAt string `json:"created_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetToken) UnmarshalJSON(text []byte) error {
	type plain WidgetToken
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetTokenPage is a type of the interface.
type WidgetTokenPage struct {
	Data []WidgetToken `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WidgetTokenPage) UnmarshalJSON(text []byte) error {
	type plain WidgetTokenPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WidgetViewer: The person who views the events, for the record.
type WidgetViewer struct {
	// Your id for the viewer.
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Workload is a type of the interface.
type Workload struct {
	// `wkl_` and an opaque string.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Name of an issuer of the operator.
	Issuer string `json:"issuer"`
	// The subject (`sub`) of its tokens, to the character. One that ends with `*`, after at least 8
	// characters, is a beginning.
	Subject string `json:"subject"`
	// Further claims that its tokens must have, each with the text of this member. A claim that is no
	// text never fits.
	Claims map[string]string `json:"claims"`
	// What it may do.
	Scopes []Scope `json:"scopes"`
	// IP addresses and networks that the key may be used from; requests from others get 403. Left out:
	// any.
	AllowedIPs []string `json:"allowed_ips,omitzero"`
	// The audience (`aud`) that its tokens must have. Null if no issuer is configured any longer.
	Audience *string `json:"audience"`
	// ISO 8601, UTC, six fraction digits.
	CreatedAt string `json:"created_at"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *Workload) UnmarshalJSON(text []byte) error {
	type plain Workload
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}

// WorkloadPage is a type of the interface.
type WorkloadPage struct {
	Data []Workload `json:"data"`
	// Whether there is a next page. A page can be shorter than its limit or even empty, so rely on this
	// member only.
	HasMore bool `json:"has_more"`
	// The cursor of the next page; null on the last page.
	NextCursor *string `json:"next_cursor"`
	// Raw is all of it as the service sent it, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

func (r *WorkloadPage) UnmarshalJSON(text []byte) error {
	type plain WorkloadPage
	r.Raw = append(json.RawMessage(nil), text...)
	return decode(text, (*plain)(r))
}
