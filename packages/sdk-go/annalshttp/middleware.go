// Package annalshttp adds who made a request and from where to the events that are tracked in it.
package annalshttp

import (
	"context"
	"net"
	"net/http"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// Options say what is recorded of a request. The zero value records where it comes from, and no actor.
type Options struct {
	// Actor returns who makes the request; nil if nobody is logged in. It is called when an event is
	// tracked, with the context of Track, so that a login may come after the middleware.
	Actor func(ctx context.Context) *annals.Actor
	// Context is added to the context of every event of the request.
	Context func(r *http.Request) map[string]any
	// ClientIP returns the address of the client, by default that of the connection. Behind a proxy that is
	// the proxy's: return what your proxy says of it, and nothing that a client can write itself.
	ClientIP func(r *http.Request) string
}

// Middleware completes the events that are tracked with the context of a request: address, user agent,
// method, path without its query, request id. It never records headers that hold credentials.
//
//	mux := http.NewServeMux()
//	server := http.Server{Handler: annalshttp.Middleware(annalshttp.Options{})(mux)}
func Middleware(options Options) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(options.scope(r)))
		})
	}
}

// scope is read when an event is tracked, so that a request without events costs nothing.
func (o Options) scope(r *http.Request) context.Context {
	return annals.Enrich(r.Context(), func(ctx context.Context, event *annals.NewEvent) {
		members := o.origin(r)
		if o.Context != nil {
			for name, value := range o.Context(r) {
				members[name] = value
			}
		}
		for name, value := range event.Context {
			members[name] = value
		}
		event.Context = members
		if event.Actor == nil && o.Actor != nil {
			event.Actor = o.Actor(ctx)
		}
	})
}

func (o Options) origin(r *http.Request) map[string]any {
	members := map[string]any{"method": r.Method, "path": r.URL.EscapedPath()}
	add := func(name, value string) {
		if value != "" {
			members[name] = value
		}
	}
	add("ip", o.ip(r))
	add("user_agent", r.UserAgent())
	add("request_id", r.Header.Get("X-Request-Id"))
	return members
}

func (o Options) ip(r *http.Request) string {
	if o.ClientIP != nil {
		return o.ClientIP(r)
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
