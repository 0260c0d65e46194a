package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// faultyTransport has the faults that are on the wire. Each breaks one rule of docs/sdk-contract.md, from
// outside of the SDK. typescript/faults.ts has the same.
type faultyTransport struct {
	fault string
	next  http.RoundTripper
}

func (t faultyTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.attempt(request)
	if err != nil {
		return nil, err
	}
	if t.fault == "no-retry-after" {
		response.Header.Del("Retry-After")
	}
	isOfDetails := t.fault == "no-details" || t.fault == "refuses-all"
	if response.StatusCode != http.StatusUnprocessableEntity || !isOfDetails {
		return response, nil
	}
	return t.refusal(response)
}

func (t faultyTransport) attempt(request *http.Request) (*http.Response, error) {
	if t.fault == "any-account" && strings.HasSuffix(request.URL.Path, "/v1/usage") {
		return answered(http.StatusOK, `{"data":{"account_id":"acct_b"}}`), nil
	}
	switch t.fault {
	case "redirects-followed":
		client := http.Client{Transport: t.next}
		copied := request.Clone(request.Context())
		copied.RequestURI = ""
		return client.Do(copied)
	case "new-key-per-attempt":
		copied := request.Clone(request.Context())
		copied.Header.Set("Idempotency-Key", rand.Text())
		return t.next.RoundTrip(copied)
	case "events-rewritten":
		copied, err := rewritten(request)
		if err != nil {
			return nil, err
		}
		return t.next.RoundTrip(copied)
	case "failure-is-success":
		response, err := t.next.RoundTrip(request)
		if err == nil && response.StatusCode < 300 {
			return response, nil
		}
		if err == nil {
			_ = response.Body.Close()
		}
		return answered(http.StatusCreated, "{}"), nil
	default:
		return t.next.RoundTrip(request)
	}
}

// rewritten has the body of a request as another program would write it.
func rewritten(request *http.Request) (*http.Request, error) {
	if request.Body == nil {
		return request, nil
	}
	defer request.Body.Close()
	var body any
	if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
		return nil, err
	}
	text, err := json.Marshal(body)
	copied := request.Clone(request.Context())
	copied.Body, copied.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return copied, err
}

func answered(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewBufferString(body)),
	}
}

// refusal names no event at all, or every one.
func (t faultyTransport) refusal(response *http.Response) (*http.Response, error) {
	defer response.Body.Close()
	var body struct {
		Error map[string]any `json:"error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return nil, err
	}
	details := []any{}
	for at := 0; t.fault == "refuses-all" && at < 9; at++ {
		details = append(details, map[string]string{"field": fmt.Sprintf("events[%d]", at), "message": ""})
	}
	body.Error["details"] = details
	text, err := json.Marshal(body)
	return answered(http.StatusUnprocessableEntity, string(text)), err
}

func faultyTracking(fault string, tracking annals.TrackingOptions) annals.TrackingOptions {
	switch fault {
	case "no-bound":
		return annals.TrackingOptions{
			Spool: tracking.Spool, OnDrop: tracking.OnDrop, OnStall: tracking.OnStall, MaxWait: 5 * time.Second,
		}
	case "silent-drops":
		tracking.OnDrop = func(annals.Drop) {}
	case "silent-stalls":
		tracking.OnStall = func(annals.Stall) {}
	}
	return tracking
}
