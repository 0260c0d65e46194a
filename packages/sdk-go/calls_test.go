package annals_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

var ctx = context.Background()

func TestAnErrorSaysWhatTheServiceSaid(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		fail(w, http.StatusUnprocessableEntity, "validation_error")
	})
	_, err := clientOf(t, server.URL, nil).Events.Create(ctx, annals.NewEvent{Action: "a private thing"})
	var own *annals.Error
	if !errors.As(err, &own) || !annals.IsType(err, annals.ValidationError) {
		t.Fatalf("%T: %v", err, err)
	}
	if own.Status != 422 || own.RequestID != "req_1" || own.Details[0].Field != "action" {
		t.Errorf("%+v", own)
	}
	if text := fmt.Sprintf("%v %+v", err, own); strings.Contains(text, "secret") || strings.Contains(text, "private") {
		t.Errorf("a key or an event is in %s", text)
	}
}

func TestACallIsRepeatedIfThatIsSafe(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request, n int) {
		if n < 3 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, `{"data":{"id":"x"}}`)
	}
	limited := func(w http.ResponseWriter, _ *http.Request, n int) {
		if n < 3 {
			fail(w, http.StatusTooManyRequests, "rate_limit_exceeded")
			return
		}
		fmt.Fprint(w, `{"data":{"id":"x"}}`)
	}
	create := func(c *annals.Client) error {
		_, err := c.Events.Create(ctx, annals.NewEvent{Action: "a"})
		return err
	}
	createWebhook := func(c *annals.Client) error {
		_, err := c.Webhooks.Create(ctx, annals.NewWebhook{URL: "https://example.com"})
		return err
	}
	createKeyed := func(c *annals.Client) error {
		_, err := c.Webhooks.Create(ctx, annals.NewWebhook{URL: "https://example.com"}, annals.IdempotencyKey("deploy-42"))
		return err
	}
	for name, each := range map[string]struct {
		answer   func(http.ResponseWriter, *http.Request, int)
		call     func(*annals.Client) error
		requests int
		isError  bool
	}{
		"a POST with a key":                     {cut, create, 3, false},
		"a POST with a key of the caller":       {cut, createKeyed, 3, false},
		"a POST without one is not repeated":    {cut, createWebhook, 1, true},
		"a POST that was refused had no effect": {limited, createWebhook, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, each.answer)
			err := each.call(clientOf(t, server.URL, nil))
			requests := server.received()
			if (err != nil) != each.isError || len(requests) != each.requests {
				t.Errorf("%d requests, %v", len(requests), err)
			}
			for _, one := range requests {
				if one.header.Get("Idempotency-Key") != requests[0].header.Get("Idempotency-Key") {
					t.Error("the attempts have different keys")
				}
			}
		})
	}
}

func TestAnAPIKeyThatNoHeaderCanHaveIsNeverSentNorShown(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stored(w) })
	_, err := clientOf(t, server.URL, func(o *annals.Options) { o.APIKey = "key_secret\n" }).Usage.Get(ctx)
	var own *annals.Error
	if !errors.As(err, &own) || !own.Unsent || strings.Contains(err.Error(), "secret") || len(server.received()) != 0 {
		t.Error(err)
	}
}

func TestACallThatWasNeverWrittenIsUnsentAndRepeated(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	attempts := 0
	client := clientOf(t, "http://"+address, func(o *annals.Options) {
		o.APIKey, o.APIKeyFunc = "", func(context.Context) (string, error) { attempts++; return "k", nil }
	})
	_, err = client.Webhooks.Create(ctx, annals.NewWebhook{URL: "https://example.com"})
	var own *annals.Error
	if !errors.As(err, &own) || own.Type != annals.ConnectionError || !own.Unsent || attempts != 5 {
		t.Errorf("%d attempts, %+v", attempts, err)
	}
}

func TestAnAttemptEndsAtItsTimeAndACallWithItsContext(t *testing.T) {
	server := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
	waits := &counted{}
	client := clientOf(t, server.URL, func(o *annals.Options) { o.Clock = waits })
	_, err := client.Usage.Get(ctx, annals.Timeout(time.Millisecond), annals.MaxRetries(1))
	if !annals.IsType(err, annals.TimeoutError) || waits.count.Load() != 1 {
		t.Errorf("%d waits between attempts, %v", waits.count.Load(), err)
	}
	ended, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if _, err = client.Usage.Get(ended); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestNetHTTPRepeatsNothingByItself(t *testing.T) {
	// It would on a connection that was used before, and without a wait.
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 2 {
			panic(http.ErrAbortHandler)
		}
		stored(w)
	})
	client := clientOf(t, server.URL, nil)
	for range 2 {
		if err := client.StoreBatch(ctx, nil, "k"); err != nil && !annals.IsType(err, annals.ConnectionError) {
			t.Fatal(err)
		}
	}
	if requests := len(server.received()); requests != 2 {
		t.Errorf("%d requests for two attempts", requests)
	}
}

func TestADeletionWhoseResponseWasLostIsDone(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			panic(http.ErrAbortHandler)
		}
		fail(w, http.StatusNotFound, "not_found")
	})
	client := clientOf(t, server.URL, nil)
	if err := client.Webhooks.Delete(ctx, "wh_1"); err != nil {
		t.Error(err)
	}
	if err := client.Webhooks.Delete(ctx, "wh_1"); !annals.IsType(err, annals.NotFound) {
		t.Error(err)
	}
}

func TestUnknownMembersAndValuesAreKept(t *testing.T) {
	const body = `{"data":{"id":7,"action":"a","erased":["future"],"future":{"x":1}}}`
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { fmt.Fprint(w, body) })
	event, err := clientOf(t, server.URL, nil).Events.Get(ctx, "evt_1")
	if err != nil || event.Action != "a" || event.Erased[0] != "future" {
		t.Fatalf("%+v, %v", event, err)
	}
	if want := `{"id":7,"action":"a","erased":["future"],"future":{"x":1}}`; string(event.Raw) != want {
		t.Errorf("%s", event.Raw)
	}
}

func TestAListIsAskedForPageByPage(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			fmt.Fprint(w, `{"data":[{"id":"1"},{"id":"2"}],"has_more":true,"next_cursor":"c+1"}`)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"3"}],"has_more":false,"next_cursor":null}`)
	})
	query := annals.ListEventsQuery{Action: annals.Strings{"user login", "b"}, ActorID: annals.Strings{}, Limit: 2}
	ids := ""
	for event, err := range clientOf(t, server.URL, nil).Events.List(query).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		ids += event.ID
	}
	requests := server.received()
	first := "/v1/events?action=user%20login&action=b&actor_id=&limit=2"
	if ids != "123" || requests[0].path != first || requests[1].path != first+"&cursor=c%2B1" {
		t.Errorf("%s: %+v", ids, requests)
	}
}

func TestFiltersByDeclaredFieldsBringTheirNames(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		fmt.Fprint(w, `{"data":[],"has_more":false,"next_cursor":null}`)
	})
	query := annals.ListEventsQuery{NotAction: annals.Strings{"a"}, Fields: map[string]annals.Strings{
		"not.field.n": {"5..", "x y"}, "field.ip": {"10.0.0.0/8"}, "field.a&b": {},
	}}
	if _, err := clientOf(t, server.URL, nil).Events.List(query).Page(ctx); err != nil {
		t.Fatal(err)
	}
	want := "/v1/events?not.action=a&field.a%26b=&field.ip=10.0.0.0%2F8&not.field.n=5..&not.field.n=x%20y"
	if path := server.received()[0].path; path != want {
		t.Error(path)
	}
}

func TestAListWithoutPagesIsASlice(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		fmt.Fprint(w, `{"data":[{"path":"context.ip"},{"path":["context","user agent"]}]}`)
	})
	fields, err := clientOf(t, server.URL, nil).SearchFields.List(ctx)
	if err != nil || len(fields) != 2 {
		t.Fatalf("%+v, %v", fields, err)
	}
	one, _ := json.Marshal(fields[0].Path)
	two, _ := json.Marshal(fields[1].Path)
	if paths := string(one) + string(two); paths != `"context.ip"["context","user agent"]` {
		t.Error(paths)
	}
}

func TestAListEndsWithItsError(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { fail(w, 403, "scope_error") })
	count := 0
	for _, err := range clientOf(t, server.URL, nil).Webhooks.List(annals.PageQuery{}).All(ctx) {
		count++
		if !annals.IsType(err, annals.ScopeError) {
			t.Error(err)
		}
	}
	if count != 1 {
		t.Errorf("%d times", count)
	}
}

func TestAnIDReachesNoOtherRoute(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { fmt.Fprint(w, `{"data":{}}`) })
	client := clientOf(t, server.URL, nil)
	if _, err := client.Events.Get(ctx, "../usage?x"); err != nil {
		t.Fatal(err)
	}
	if path := server.received()[0].path; path != "/v1/events/..%2Fusage%3Fx" {
		t.Error(path)
	}
	for _, id := range []string{"", ".", ".."} {
		if _, err := client.Events.Get(ctx, id); err == nil {
			t.Errorf("%q is taken", id)
		}
	}
}

func TestMembersCanBeLeftOutNullOrSet(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { fmt.Fprint(w, `{"data":{}}`) })
	client := clientOf(t, server.URL, nil)
	for _, body := range []annals.APIKeyUpdate{
		{Name: "a<b"},
		{Name: "a", ExpiresAt: annals.Null[string]()},
		{Name: "a", AllowedIPs: annals.Value([]string{})},
	} {
		if _, err := client.APIKeys.Update(ctx, "key_1", body); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{`{"name":"a<b"}`, `{"name":"a","expires_at":null}`, `{"name":"a","allowed_ips":[]}`}
	for index, one := range server.received() {
		if one.body != want[index] {
			t.Errorf("%s, not %s", one.body, want[index])
		}
	}
}

func TestAFileIsReadAsAStream(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		fmt.Fprint(w, "one\n")
		w.(http.Flusher).Flush()
		fmt.Fprint(w, "two\n")
	})
	file, err := clientOf(t, server.URL, nil).Exports.Content(ctx, "exp_1")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if content, err := io.ReadAll(file); string(content) != "one\ntwo\n" || err != nil {
		t.Errorf("%q, %v", content, err)
	}
}

func TestLongBodiesAreCompressed(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stored(w) })
	client := clientOf(t, server.URL, nil)
	for _, length := range []int{10, 2_000} {
		metadata := map[string]any{"text": strings.Repeat("x", length)}
		if _, err := client.Events.CreateMany(ctx, []annals.NewEvent{{Action: "a", Metadata: metadata}}); err != nil {
			t.Fatal(err)
		}
	}
	requests := server.received()
	if requests[0].header.Get("Content-Encoding") != "" || requests[1].header.Get("Content-Encoding") != "gzip" {
		t.Error("only the long one should be compressed")
	}
	if !strings.HasSuffix(requests[1].body, `xx"}}]}`) {
		t.Error(requests[1].body)
	}
}

func TestWhatJSONLacksIsNotSent(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { stored(w) })
	metadata := map[string]any{"value": math.Inf(1)}
	_, err := clientOf(t, server.URL, nil).Events.Create(ctx, annals.NewEvent{Action: "a", Metadata: metadata})
	if err == nil || len(server.received()) != 0 {
		t.Error(err)
	}
}

func TestAClientNeedsAnAddressAndAKey(t *testing.T) {
	for _, options := range []annals.Options{{}, {BaseURL: "http://x"}, {BaseURL: "ftp://x", APIKey: "k"}, {APIKey: "k"}} {
		if _, err := annals.New(options); err == nil {
			t.Errorf("%+v is taken", options)
		}
	}
}
