// Command calls makes each call of the interface once with the Go SDK, and prints method and path of each
// attempt. It fails for a member of a response that the types of the SDK lack. Run by go-calls.test.ts.
//
//	calls BASE_URL KEY
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

const (
	action = "invoice.update"
	poll   = 50 * time.Millisecond
)

var ctx = context.Background()

// printing prints what is sent.
type printing struct{ next http.RoundTripper }

func (p printing) RoundTrip(request *http.Request) (*http.Response, error) {
	fmt.Println(request.Method, request.URL.EscapedPath())
	return p.next.RoundTrip(request)
}

func clientOf(key string) *annals.Client {
	options := annals.Options{BaseURL: os.Args[1], APIKey: key, Transport: printing{http.DefaultTransport}}
	return must(annals.New(options))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

func done(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func check(is bool, what any) {
	if !is {
		log.Panicf("%+v", what)
	}
}

// has says whether a list has an item, and asks for all of its pages.
func has[Item, Page any](list annals.List[Item, Page], is func(Item) bool) bool {
	known(list.Page(ctx))
	isThere := false
	for item, err := range list.All(ctx) {
		isThere = isThere || is(must(item, err))
	}
	return isThere
}

// until asks until there is an answer, which nothing but time brings.
func until[T any](ask func() (T, bool)) T {
	for {
		if answer, isThere := ask(); isThere {
			return answer
		}
		time.Sleep(poll)
	}
}

func main() {
	client := clientOf(os.Args[2])
	keys(client)
	event := events(client)
	evidence(client)
	webhooks(client)
	sinks(client)
	widgets(client, event)
	intake(client)
	records(client)
	searchFields(client)
	people(client)
	exports(client)
}

func keys(client *annals.Client) {
	created := known(client.APIKeys.Create(ctx, annals.NewAPIKey{Name: "one", Scopes: []annals.Scope{annals.ScopeVerify}}))
	check(has(client.APIKeys.List(annals.PageQuery{}), func(k annals.APIKey) bool { return k.ID == created.ID }), created)
	update := annals.APIKeyUpdate{Name: "two", AllowedIPs: annals.Value([]string{"127.0.0.1"})}
	changed := known(client.APIKeys.Update(ctx, created.ID, update))
	check(changed.Name == "two" && len(changed.AllowedIPs) == 1, changed)
	changed = known(client.APIKeys.Update(ctx, created.ID, annals.APIKeyUpdate{Name: "two", AllowedIPs: annals.Null[[]string]()}))
	check(len(changed.AllowedIPs) == 0, changed)
	done(client.APIKeys.Delete(ctx, created.ID))
	other := known(client.Keys.Create(ctx, annals.NewAPIKey{Name: "three"}))
	done(client.Keys.Delete(ctx, other.ID))
}

func events(client *annals.Client) *annals.Event {
	actor := &annals.Actor{Type: "user", ID: "u_1", Meta: map[string]any{"roles": []any{"admin"}}}
	given := annals.NewEvent{Action: action, Actor: actor, OccurredAt: "2026-01-31T09:30:00Z"}
	event := known(client.Events.Create(ctx, given, annals.IdempotencyKey("once")))
	again := known(client.Events.Create(ctx, given, annals.IdempotencyKey("once")))
	check(event.ID == again.ID && reflect.DeepEqual(event.Actor.Meta, actor.Meta), event)
	check(len(must(client.Events.CreateMany(ctx, []annals.NewEvent{{Action: action}, {Action: "invoice.send"}}))) == 2, nil)
	query := annals.ListEventsQuery{Action: annals.Strings{"none", action}, ActorID: annals.Strings{"u_1"}}
	check(has(client.Events.List(query), func(e annals.Event) bool { return e.ID == event.ID }), query)
	known(client.Events.Get(ctx, event.ID))
	check(known(client.Events.GetWithProof(ctx, event.ID)).Proof.V == 1, event)
	check(known(client.Verify.Chain(ctx, annals.VerifyChainQuery{FromSequence: 1})).Valid, nil)
	proven := annals.ListEventsQuery{Order: "asc", Include: "proof", Limit: 2}
	verified := must(annals.VerifyEvents(client.Events.List(proven).Pages(ctx)))
	check(verified.State == annals.Verified && verified.LinksUnchecked == 0, verified)
	check(known(client.Usage.Get(ctx)).Events.Used >= 3, nil)
	return event
}

func evidence(client *annals.Client) {
	// As many as a full tile has, and until an epoch covers them.
	many := slices.Repeat([]annals.NewEvent{{Action: action}}, 256)
	must(client.Events.CreateMany(ctx, many))
	until(func() (*annals.Log, bool) {
		status := known(client.Log.Get(ctx))
		return status, status.Covered != nil && status.Covered.SequenceNumber > 256
	})
	check(strings.Contains(must(client.Log.Checkpoint(ctx)), "\n"), nil)
	check(len(must(client.Log.Tile(ctx, 0, 0, 0))) == 8192, nil)
	check(len(must(client.Log.Entries(ctx, 0, 256))) > 0, nil)
	known(client.Log.Inclusion(ctx, annals.ProveInclusionQuery{SequenceNumber: 1}))
	known(client.Log.Consistency(ctx, annals.ProveConsistencyQuery{From: 1}))
	check(has(client.Log.Heads(annals.ListHeadsQuery{Limit: 1}), func(h annals.EpochHead) bool { return h.Head.Size > 0 }), nil)
}

func webhooks(client *annals.Client) {
	pattern := []annals.EventPattern{annals.EventPatternEventCreated}
	webhook := known(client.Webhooks.Create(ctx, annals.NewWebhook{URL: "https://hooks.annals.invalid/hook", Events: pattern}))
	check(has(client.Webhooks.List(annals.PageQuery{}), func(w annals.Webhook) bool { return w.ID == webhook.ID }), webhook)
	not := &annals.NewWebhookFilterNot{Outcome: annals.Strings{"none"}}
	filter := annals.Value(annals.NewWebhookFilter{Action: annals.Strings{"a", action}, Not: not})
	known(client.Webhooks.Update(ctx, webhook.ID, annals.WebhookUpdate{Active: annals.Ptr(true), Filter: filter}))
	known(client.Webhooks.Update(ctx, webhook.ID, annals.WebhookUpdate{Filter: annals.Null[annals.NewWebhookFilter]()}))
	known(client.Webhooks.Test(ctx, webhook.ID))
	span := annals.ReplayRange{FromSequenceNumber: 1, ToSequenceNumber: 2}
	known(client.Webhooks.ReplayEvents(ctx, webhook.ID, span))
	// Not that of the test, which cannot be replayed.
	delivery := until(func() (found annals.Delivery, isThere bool) {
		has(client.Webhooks.Deliveries(webhook.ID, annals.PageQuery{}), func(d annals.Delivery) bool {
			if d.Event == "event.created" {
				found, isThere = d, true
			}
			return false
		})
		return found, isThere
	})
	known(client.Webhooks.ReplayDelivery(ctx, webhook.ID, delivery.ID))
	rotation := annals.SecretRotation{GraceSeconds: annals.Ptr(int64(0))}
	check(known(client.Webhooks.RotateSecret(ctx, webhook.ID, rotation)).Secret != webhook.Secret, nil)
	done(client.Webhooks.Delete(ctx, webhook.ID))
}

func sinks(client *annals.Client) {
	sink := known(client.Sinks.Create(ctx, annals.NewSinkSyslog{
		Type: "syslog", Config: annals.SyslogSinkConfig{Host: "syslog.annals.invalid", Port: 6514}, From: 1,
	}))
	check(has(client.Sinks.List(annals.PageQuery{}), func(s annals.Sink) bool { return s.ID == sink.ID }), sink)
	known(client.Sinks.Get(ctx, sink.ID))
	known(client.Sinks.Update(ctx, sink.ID, annals.SinkUpdatePlain{Active: annals.Ptr(false)}))
	known(client.Sinks.Test(ctx, sink.ID))
	known(client.Sinks.Replay(ctx, sink.ID, annals.SinkReplay{FromSequenceNumber: 2}))
	check(known(client.Sinks.Status(ctx, sink.ID)).Cursor == 1, nil)
	// Its receiver has refused nothing.
	_, err := client.Sinks.Skip(ctx, sink.ID, annals.SinkSkip{SequenceNumber: 2})
	check(annals.IsType(err, annals.ValidationError), err)
	done(client.Sinks.Delete(ctx, sink.ID))
}

func widgets(client *annals.Client, event *annals.Event) {
	token := known(client.WidgetTokens.Create(ctx, annals.NewWidgetToken{
		Filter: &annals.EventFilter{Action: annals.Strings{action}}, Viewer: &annals.WidgetViewer{ID: "u_7"},
	}))
	widget := clientOf(token.Token).Widget
	query := annals.ListWidgetEventsQuery{Include: "proof"}
	check(has(widget.List(query), func(e annals.WidgetEvent) bool { return e.ID == event.ID }), event)
	check(must(annals.VerifyEvents(widget.List(query).Pages(ctx))).State == annals.Verified, nil)
	check(known(widget.Get(ctx, event.ID)).Data.ID == event.ID, event)
	check(slices.Contains(known(widget.Filters(ctx)).Actions, action), nil)
	known(widget.Log(ctx))
	check(known(widget.Histogram(ctx, annals.CountWidgetEventsQuery{})).Total > 0, nil)
	must(widget.Facets(ctx, annals.CountWidgetValuesQuery{Field: annals.Strings{"action"}}))
	check(has(client.WidgetTokens.List(annals.PageQuery{}), func(w annals.WidgetToken) bool { return w.ID == token.ID }), token)
	done(client.WidgetTokens.Delete(ctx, token.ID))
}

func intake(client *annals.Client) {
	list := annals.KubernetesEventList{APIVersion: "audit.k8s.io/v1", Kind: "EventList", Items: []any{}}
	known(client.Intake.KubernetesAudit(ctx, list))
	cloud := annals.CloudEvent{"specversion": "1.0", "id": "1", "source": "/client", "type": "a", "data": map[string]int{"a": 1}}
	check(known(client.Intake.CloudEvents(ctx, []annals.CloudEvent{cloud})).Stored == 1, nil)
	known(client.Intake.OTLPLogs(ctx, annals.ExportLogsServiceRequest{}))
}

func records(client *annals.Client) {
	erasure := known(client.Erasures.Create(ctx, annals.NewErasure{ActorID: "u_1", Parts: []string{"actor"}}))
	check(has(client.Erasures.List(annals.PageQuery{}), func(e annals.Erasure) bool { return e.ID == erasure.ID }), erasure)
	known(client.Erasures.Get(ctx, erasure.ID))
	done(client.Erasures.Cancel(ctx, erasure.ID))
	hold := known(client.Holds.Place(ctx, annals.NewHold{FromSequence: 1}))
	check(has(client.Holds.List(annals.PageQuery{}), func(h annals.Hold) bool { return h.ID == hold.ID }), hold)
	done(client.Holds.Release(ctx, hold.ID))
	known(client.Retention.Set(ctx, annals.NewRetention{Days: annals.Ptr(int64(90))}))
	check(*known(client.Retention.Get(ctx)).AccountDays == 90, nil)
	check(!has(client.Archives.List(annals.PageQuery{}), func(annals.Archive) bool { return true }), nil)
	_, err := client.Archives.Events(ctx, "arc_1")
	check(annals.IsType(err, annals.NotFound), err)
	_, err = client.Archives.Evidence(ctx, "arc_1")
	check(annals.IsType(err, annals.NotFound), err)
}

func searchFields(client *annals.Client) {
	given := annals.NewSearchField{Path: annals.Strings{"metadata.number"}, Name: "n", Type: "number"}
	field := known(client.SearchFields.Create(ctx, given))
	listed := must(client.SearchFields.List(ctx))
	must(client.SearchFields.Paths(ctx))
	check(len(listed) == 1 && known(&listed[0], nil).ID == field.ID, listed)
	event := known(client.Events.Create(ctx, annals.NewEvent{Action: action, Metadata: map[string]any{"number": 7}}))
	found := func(name string) bool {
		query := annals.ListEventsQuery{Fields: map[string]annals.Strings{name: {"5..10"}}, Limit: 100}
		return has(client.Events.List(query), func(e annals.Event) bool { return e.ID == event.ID })
	}
	check(found("field.n") && !found("not.field.n"), field)
	done(client.SearchFields.Delete(ctx, field.ID))
	search := known(client.Searches.Create(ctx, annals.NewSavedSearch{Name: "one", Filter: &annals.SearchFilter{Text: "abc"}}))
	changed := known(client.Searches.Update(ctx, search.ID, annals.SavedSearchUpdate{Name: "two"}))
	check(changed.Name == "two" && changed.Filter.Text == "abc", changed)
	saved := must(client.Searches.List(ctx))
	check(len(saved) == 1 && saved[0].ID == search.ID, saved)
	done(client.Searches.Delete(ctx, search.ID))
	bars := known(client.Events.Histogram(ctx, annals.CountEventsQuery{By: "action", Interval: "1d"}))
	check(bars.Total > 0 && bars.Complete, bars)
	facets := must(client.Events.Facets(ctx, annals.CountValuesQuery{Field: annals.Strings{"action", "outcome"}}))
	check(len(facets) == 2 && facets[0].Distinct > 0, facets)
}

func people(client *annals.Client) {
	mapped := known(client.RoleMappings.Create(ctx, annals.NewRoleMapping{Provider: "okta", Group: "readers", Role: "viewer"}))
	check(has(client.RoleMappings.List(annals.PageQuery{}), func(r annals.RoleMapping) bool { return r.ID == mapped.ID }), mapped)
	done(client.RoleMappings.Delete(ctx, mapped.ID))
	trusted := annals.NewWorkload{Name: "one", Issuer: "cluster", Subject: "s", Scopes: []annals.Scope{annals.ScopeVerify}}
	workload := known(client.Workloads.Create(ctx, trusted))
	check(has(client.Workloads.List(annals.PageQuery{}), func(w annals.Workload) bool { return w.ID == workload.ID }), workload)
	done(client.Workloads.Delete(ctx, workload.ID))
	check(!has(client.People.List(annals.PageQuery{}), func(annals.Person) bool { return true }), nil)
}

func exports(client *annals.Client) {
	export := known(client.Exports.Create(ctx, annals.NewExport{
		Filter: &annals.SearchFilter{Action: annals.Strings{action}, Text: action}, IncludeProofs: annals.Ptr(true),
	}))
	check(has(client.Exports.List(annals.PageQuery{}), func(e annals.Export) bool { return e.ID == export.ID }), export)
	until(func() (*annals.Export, bool) {
		found := known(client.Exports.Get(ctx, export.ID))
		return found, found.SHA256 != nil
	})
	file := must(client.Exports.Content(ctx, export.ID))
	lines := strings.Count(string(must(io.ReadAll(file))), "\n")
	done(file.Close())
	check(lines > 256, lines)
	done(client.Exports.Delete(ctx, export.ID))
}
