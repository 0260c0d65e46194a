package annals

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options make a client. BaseURL and one of APIKey and APIKeyFunc are needed.
type Options struct {
	// BaseURL is the service's address, without /v1.
	BaseURL string
	APIKey  string
	// APIKeyFunc is called before each attempt, so that a key can be replaced.
	APIKeyFunc func(ctx context.Context) (string, error)
	// Timeout bounds one attempt, by default 30 seconds.
	Timeout time.Duration
	// MaxRetryDelay: a longer Retry-After is not waited for. By default 90 seconds.
	MaxRetryDelay time.Duration
	Tracking      TrackingOptions
	// Transport makes the requests, by default http.DefaultTransport. Wrap it for traces and metrics.
	Transport http.RoundTripper
	// Clock and Random, a number from 0 to 1, are for tests.
	Clock  Clock
	Random func() float64
}

// Client has a method for each route, named by its noun and its verb, and Track. It may be used by several
// goroutines. It opens nothing before its first call or event.
type Client struct {
	Resources
	tracker eventTracker
}

// eventTracker is what is behind Track: the buffer in memory, or a spool.
type eventTracker interface {
	buffered() int
	track(event NewEvent) bool
	ready(ctx context.Context) error
	flush(ctx context.Context) error
	close(ctx context.Context) error
}

// New makes a client. It fails if the options cannot be right.
func New(options Options) (*Client, error) {
	base, err := url.Parse(options.BaseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, errors.New("annals: BaseURL must be an http or https URL")
	}
	if options.APIKey == "" && options.APIKeyFunc == nil {
		return nil, errors.New("annals: APIKey is missing")
	}
	t := &transport{
		baseURL:       strings.TrimRight(options.BaseURL, "/"),
		apiKey:        options.APIKeyFunc,
		timeout:       options.Timeout,
		maxRetries:    defaultMaxRetries,
		maxRetryDelay: options.MaxRetryDelay,
		clock:         options.Clock,
		random:        options.Random,
	}
	t.http.Transport = options.Transport
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if t.apiKey == nil {
		key := options.APIKey
		t.apiKey = func(context.Context) (string, error) { return key, nil }
	}
	if t.timeout <= 0 {
		t.timeout = defaultTimeout
	}
	if t.maxRetryDelay <= 0 {
		t.maxRetryDelay = defaultMaxRetryDelay
	}
	if t.clock == nil {
		t.clock = systemClock{}
	}
	if t.random == nil {
		t.random = mathrand.Float64
	}
	client := &Client{Resources: resourcesOf(t)}
	if spool := options.Tracking.Spool; spool != nil {
		tracker, err := spool.open(t, options)
		if err != nil {
			return nil, err
		}
		client.tracker = tracker
		return client, nil
	}
	client.tracker = newTracker(t.sendBatch, t.clock, t.random, options.Tracking)
	return client, nil
}

// sendBatch stores a batch, in one attempt.
func (t *transport) sendBatch(ctx context.Context, body []byte, key string) error {
	c := call{
		operation: "create-event-batch", method: http.MethodPost, path: "/events/batch", body: body, keying: alwaysKeyed,
	}
	return t.json(ctx, c, nil, []CallOption{IdempotencyKey(key), MaxRetries(0)})
}

// StoreBatch stores 1 to 1,000 events that are JSON already, all or none, in one attempt. The key makes it
// safe to repeat.
func (c *Client) StoreBatch(ctx context.Context, events []json.RawMessage, idempotencyKey string) error {
	texts := make([][]byte, len(events))
	for index, event := range events {
		texts[index] = event
	}
	return c.Events.transport.sendBatch(ctx, bodyOf(texts), idempotencyKey)
}

// accountID is the account of the API key, in one attempt.
func (t *transport) accountID(ctx context.Context) (string, error) {
	c := call{operation: "get-usage", method: http.MethodGet, path: "/usage"}
	usage, err := dataOf[Usage](ctx, t, c, []CallOption{MaxRetries(0)})
	if err != nil {
		return "", err
	}
	return usage.AccountID, nil
}

func newKey() string { return rand.Text() }

// Track buffers an event, to be sent with others. It never waits for the network. False if the event was
// dropped: TrackingOptions.OnDrop says why. The context gives what WithActor, WithContext and Enrich have
// put into it, and never cancels the event.
func (c *Client) Track(ctx context.Context, event NewEvent) bool {
	return c.tracker.track(Enriched(ctx, event))
}

// Buffered counts the tracked events that are neither stored nor dropped yet.
func (c *Client) Buffered() int { return c.tracker.buffered() }

// Ready waits until the buffer, or the spool, is at most half full: call it before each event, and none is
// dropped.
func (c *Client) Ready(ctx context.Context) error { return c.tracker.ready(ctx) }

// Flush waits until every event tracked before it is stored or dropped.
func (c *Client) Flush(ctx context.Context) error { return c.tracker.flush(ctx) }

// Close takes no more events, stores what is buffered, and drops what is not stored when the context ends,
// or after 10 seconds if the context has no deadline. With a spool it drops nothing: the rest stays on disk.
// Call it before the process ends. It returns an error if the time was over.
func (c *Client) Close(ctx context.Context) error { return c.tracker.close(ctx) }
