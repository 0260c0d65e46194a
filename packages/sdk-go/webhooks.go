package annals

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookReason says why a delivery is not accepted.
type WebhookReason string

const (
	WebhookMissingHeader  WebhookReason = "missing_header"
	WebhookWrongSignature WebhookReason = "wrong_signature"
	WebhookWrongTime      WebhookReason = "wrong_time"
	WebhookNotJSON        WebhookReason = "not_json"
)

// WebhookError says why a delivery is not accepted. Respond with 400 or 401.
type WebhookError struct {
	Reason  WebhookReason
	message string
}

func (e *WebhookError) Error() string { return "annals: " + e.message }

// WebhookPayload is what a webhook receives. Data is of the type that Event names, such as Event for
// event.created; WebhookPayload.Decode reads it.
type WebhookPayload struct {
	ID        string          `json:"id"`
	Event     string          `json:"event"`
	Data      json.RawMessage `json:"data"`
	Timestamp string          `json:"timestamp"`
}

// Decode reads Data into a value, such as an Event.
func (p *WebhookPayload) Decode(into any) error { return decode(p.Data, into) }

// WebhookOptions change how a delivery is verified. The zero value has the defaults.
type WebhookOptions struct {
	// ServiceSignature: verify X-Service-Signature, which covers the body alone; the time is the payload's,
	// which retries do not change. By default it is webhook-signature, which covers the time of the attempt.
	ServiceSignature bool
	// Tolerance is how far the time may be off, by default 5 minutes, or an hour with ServiceSignature.
	Tolerance time.Duration
	// Now is for tests.
	Now func() time.Time
}

const secretPrefix = "whsec_"

var errSecret = errors.New("annals: a webhook's secret begins with " + secretPrefix)

// VerifyWebhook returns the payload of a delivery. body is what arrived, before any JSON parser. While a
// secret is replaced, give both. It never parses a body before its signature is verified. Its error is a
// *WebhookError, unless a secret has another form.
func VerifyWebhook(
	body []byte, headers http.Header, options WebhookOptions, secrets ...string,
) (*WebhookPayload, error) {
	if len(secrets) == 0 {
		return nil, errSecret
	}
	for _, secret := range secrets {
		if !strings.HasPrefix(secret, secretPrefix) {
			return nil, errSecret
		}
	}
	isSigned, tolerance := isSignedByStandard, 5*time.Minute
	if options.ServiceSignature {
		isSigned, tolerance = isSignedByService, time.Hour
	}
	if options.Tolerance > 0 {
		tolerance = options.Tolerance
	}
	matches, err := isSigned(body, headers, secrets)
	if err != nil {
		return nil, err
	}
	if !matches {
		return nil, &WebhookError{WebhookWrongSignature, "no signature of the delivery matches"}
	}
	var payload WebhookPayload
	if decode(body, &payload) != nil {
		return nil, &WebhookError{WebhookNotJSON, "the body is not JSON"}
	}
	now := time.Now
	if options.Now != nil {
		now = options.Now
	}
	sentAt, isKnown := sentAtOf(headers, payload, options.ServiceSignature)
	if !isKnown || now().Round(0).Sub(sentAt).Abs() > tolerance {
		message := fmt.Sprintf("the timestamp is outside the tolerance of %s", tolerance)
		return nil, &WebhookError{WebhookWrongTime, message}
	}
	return &payload, nil
}

func sentAtOf(headers http.Header, payload WebhookPayload, isService bool) (time.Time, bool) {
	if isService {
		sentAt, err := time.Parse(time.RFC3339Nano, payload.Timestamp)
		return sentAt, err == nil
	}
	seconds, err := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	// Sub is exact for the centuries around now alone.
	return time.Unix(seconds, 0), err == nil && seconds > 0 && seconds < math.MaxInt32*4
}

func isSignedByStandard(body []byte, headers http.Header, secrets []string) (bool, error) {
	given, err := headerOf(headers, "webhook-signature")
	if err != nil {
		return false, err
	}
	id, err := headerOf(headers, "webhook-id")
	if err != nil {
		return false, err
	}
	at, err := headerOf(headers, "webhook-timestamp")
	if err != nil {
		return false, err
	}
	signed := append([]byte(id+"."+at+"."), body...)
	var signatures, keys [][]byte
	for _, one := range strings.Split(given, " ") {
		version, text, _ := strings.Cut(one, ",")
		if signature, err := base64.StdEncoding.DecodeString(text); version == "v1" && err == nil {
			signatures = append(signatures, signature)
		}
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err == nil && len(key) > 0 {
			keys = append(keys, key)
		}
	}
	return isSignedByAny(keys, signatures, signed), nil
}

func isSignedByService(body []byte, headers http.Header, secrets []string) (bool, error) {
	given, err := headerOf(headers, "X-Service-Signature")
	if err != nil {
		return false, err
	}
	signature, err := hex.DecodeString(given)
	if err != nil || strings.ToLower(given) != given {
		return false, nil
	}
	var keys [][]byte
	for _, secret := range secrets {
		keys = append(keys, []byte(secret))
	}
	return isSignedByAny(keys, [][]byte{signature}, body), nil
}

func isSignedByAny(keys, signatures [][]byte, signed []byte) bool {
	for _, key := range keys {
		code := hmac.New(sha256.New, key)
		code.Write(signed)
		expected := code.Sum(nil)
		for _, signature := range signatures {
			if hmac.Equal(expected, signature) {
				return true
			}
		}
	}
	return false
}

// headerOf refuses a header that came more than once.
func headerOf(headers http.Header, name string) (string, error) {
	values := headers.Values(name)
	if len(values) != 1 || values[0] == "" {
		return "", &WebhookError{WebhookMissingHeader, "the header " + name + " is missing"}
	}
	return values[0], nil
}
