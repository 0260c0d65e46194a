package annals

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"time"
)

const (
	defaultTimeout       = 30 * time.Second
	defaultMaxRetries    = 4
	defaultMaxRetryDelay = 90 * time.Second
	// minCompressed is the length from which bodies are compressed.
	minCompressed = 1024
	// maxErrorBody is what is read of a response of failure.
	maxErrorBody = 1 << 20
)

// call is one route with its values.
type call struct {
	// operation is the id of the OpenAPI document: create-event.
	operation string
	method    string
	// path has {} for each of ids.
	path  string
	ids   []string
	query query
	// body is a value for JSON, or JSON; nil for none.
	body      any
	mediaType string
	keying    keying
}

// keying says whether a call has an idempotency key, which makes a POST safe to repeat.
type keying int

const (
	unkeyed keying = iota
	// keyedByCaller: it has the caller's alone, because the response to a retry lacks what is shown once.
	keyedByCaller
	// alwaysKeyed: without the caller's it gets a new one.
	alwaysKeyed
)

// callSettings are what the options of a call set.
type callSettings struct {
	timeout    time.Duration
	maxRetries int
	key        string
}

// CallOption changes how one call is made.
type CallOption func(*callSettings)

// IdempotencyKey names a request, so that it has its effect once, however often it is sent. Calls that store
// events get a new key by default, which all their attempts share. Other creations have none by default: with
// a key they are repeated, and the response to a retry has neither the key nor the secret that was created.
func IdempotencyKey(key string) CallOption { return func(s *callSettings) { s.key = key } }

// Timeout bounds each attempt of a call.
func Timeout(d time.Duration) CallOption { return func(s *callSettings) { s.timeout = d } }

// MaxRetries is the number of attempts after the first one.
func MaxRetries(n int) CallOption { return func(s *callSettings) { s.maxRetries = n } }

// request is a call whose body and key are made, so that all attempts have the same.
type request struct {
	call
	callSettings
	body         []byte
	isCompressed bool
}

// transport sends calls: headers, timeouts, retries, errors. It must never repeat a call that may have had
// its effect and is not safe to repeat, and never follow a redirect, which would show the API key to
// another host.
type transport struct {
	baseURL       string
	apiKey        func(ctx context.Context) (string, error)
	http          http.Client
	timeout       time.Duration
	maxRetries    int
	maxRetryDelay time.Duration
	clock         Clock
	random        func() float64
}

// read takes a response of success; it closes the body, or hands it on.
type read func(response *http.Response) error

// json decodes the body of the response into a value, which may be nil.
func (t *transport) json(ctx context.Context, c call, into any, options []CallOption) error {
	return t.send(ctx, c, options, func(response *http.Response) error {
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if into == nil || len(text) == 0 {
			return nil
		}
		return decode(text, into)
	})
}

func (t *transport) bytes(ctx context.Context, c call, options []CallOption) (content []byte, err error) {
	err = t.send(ctx, c, options, func(response *http.Response) error {
		content, err = io.ReadAll(response.Body)
		return err
	})
	return content, err
}

func (t *transport) text(ctx context.Context, c call, options []CallOption) (string, error) {
	content, err := t.bytes(ctx, c, options)
	return string(content), err
}

// stream returns the body, which the caller reads and closes. The timeout ends with the headers.
func (t *transport) stream(ctx context.Context, c call, options []CallOption) (body io.ReadCloser, err error) {
	err = t.send(ctx, c, options, func(response *http.Response) error {
		body = response.Body
		response.Body = nil
		return nil
	})
	return body, err
}

func (t *transport) send(ctx context.Context, c call, options []CallOption, reading read) error {
	one, err := t.requestOf(c, options)
	if err != nil {
		return err
	}
	isRepeatable := c.method != http.MethodPost || one.key != ""
	mayBeDone := false
	for attempt := 1; ; attempt++ {
		err := t.attempt(ctx, one, reading)
		if err == nil {
			return nil
		}
		// A refusal is certain, and says more than that the caller's context ended.
		if ctx.Err() != nil && !isRefused(err) {
			return ctx.Err()
		}
		// The attempt before deleted it, and its response did not arrive.
		if c.method == http.MethodDelete && mayBeDone && IsType(err, NotFound) {
			return nil
		}
		mayBeDone = mayBeDone || !isRefused(err)
		delay := RetryDelay(err, attempt, t.random())
		isAllowed := isTemporary(err) && (isRepeatable || isRefused(err))
		if !isAllowed || attempt > one.maxRetries || delay > t.maxRetryDelay {
			return err
		}
		t.clock.Wait(ctx, delay)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (t *transport) requestOf(c call, options []CallOption) (*request, error) {
	path, err := c.pathOf()
	if err != nil {
		return nil, err
	}
	c.path = path
	one := &request{call: c, callSettings: callSettings{timeout: t.timeout, maxRetries: t.maxRetries}}
	for _, option := range options {
		option(&one.callSettings)
	}
	if c.keying == unkeyed {
		one.key = ""
	} else if c.keying == alwaysKeyed && one.key == "" {
		one.key = newKey()
	}
	if c.body == nil {
		return one, nil
	}
	text, isText := c.body.([]byte)
	if !isText {
		if text, err = jsonOf(c.body); err != nil {
			return nil, err
		}
	}
	one.body = text
	if len(text) >= minCompressed {
		one.body, one.isCompressed = compressed(text), true
	}
	return one, nil
}

func compressed(text []byte) []byte {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	_, _ = writer.Write(text)
	_ = writer.Close()
	return buffer.Bytes()
}

func (t *transport) request(ctx context.Context, one *request) (*http.Response, error) {
	key, err := t.key(ctx)
	if err != nil {
		return nil, noKey{err}
	}
	url := t.baseURL + "/v1" + one.path + one.query.String()
	var body io.Reader
	if one.call.body != nil {
		body = bytes.NewReader(one.body)
	}
	message, err := http.NewRequestWithContext(ctx, one.method, url, body)
	if err != nil {
		return nil, noKey{err}
	}
	// Without it net/http would send the request again by itself.
	message.GetBody = nil
	message.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		message.Header.Set("Content-Type", one.mediaTypeOf())
	}
	if one.isCompressed {
		message.Header.Set("Content-Encoding", "gzip")
	}
	if one.key != "" {
		message.Header.Set("Idempotency-Key", one.key)
	}
	return t.http.Do(message)
}

func (c call) mediaTypeOf() string {
	if c.mediaType == "" {
		return "application/json"
	}
	return c.mediaType
}
