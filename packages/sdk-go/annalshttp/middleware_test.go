package annalshttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	annals "github.com/OWNER/annals/packages/sdk-go"
	"github.com/OWNER/annals/packages/sdk-go/annalshttp"
	"github.com/OWNER/annals/packages/sdk-go/annalstest"
)

type userKey struct{}

// login is a middleware that comes after ours.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, "u_1")))
	})
}

func actorOf(ctx context.Context) *annals.Actor {
	id, isThere := ctx.Value(userKey{}).(string)
	if !isThere {
		return nil
	}
	return &annals.Actor{Type: "user", ID: id}
}

func record(t *testing.T, options annalshttp.Options, event annals.NewEvent) annals.NewEvent {
	t.Helper()
	var recorder annalstest.Recorder
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { recorder.Track(r.Context(), event) })
	request := httptest.NewRequest("POST", "/invoices/a%2Fb?token=secret", nil)
	request.RemoteAddr = "192.0.2.7:1234"
	request.Header.Set("User-Agent", "a browser")
	request.Header.Set("X-Request-Id", "req_1")
	request.Header.Set("Authorization", "Bearer secret")
	annalshttp.Middleware(options)(login(handler)).ServeHTTP(httptest.NewRecorder(), request)
	return recorder.Events()[0]
}

func TestAnEventOfARequestSaysWhoMadeItAndFromWhere(t *testing.T) {
	event := record(t, annalshttp.Options{Actor: actorOf}, annals.NewEvent{Action: "a"})
	want := map[string]any{
		"ip": "192.0.2.7", "user_agent": "a browser", "request_id": "req_1", "method": "POST",
		"path": "/invoices/a%2Fb",
	}
	if !reflect.DeepEqual(event.Context, want) || event.Actor.ID != "u_1" {
		t.Errorf("%+v %+v", event.Context, event.Actor)
	}
}

func TestAnApplicationSaysMoreAndTheEventDecides(t *testing.T) {
	options := annalshttp.Options{
		Actor:    actorOf,
		Context:  func(*http.Request) map[string]any { return map[string]any{"region": "eu", "tier": "gold"} },
		ClientIP: func(*http.Request) string { return "198.51.100.1" },
	}
	event := record(t, options, annals.NewEvent{
		Action: "a", Actor: &annals.Actor{ID: "own"}, Context: map[string]any{"tier": "free"},
	})
	if event.Actor.ID != "own" || event.Context["ip"] != "198.51.100.1" {
		t.Errorf("%+v %+v", event.Context, event.Actor)
	}
	if event.Context["region"] != "eu" || event.Context["tier"] != "free" {
		t.Error(event.Context)
	}
}
