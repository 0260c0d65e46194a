package annals

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrorType is a type of the interface. The last two are those of a call without a response.
type ErrorType string

const (
	AuthenticationError    ErrorType = "authentication_error"
	ScopeError             ErrorType = "scope_error"
	PlanFeatureUnavailable ErrorType = "plan_feature_unavailable"
	PlanLimitExceeded      ErrorType = "plan_limit_exceeded"
	NotFound               ErrorType = "not_found"
	ValidationError        ErrorType = "validation_error"
	RateLimitExceeded      ErrorType = "rate_limit_exceeded"
	ServerError            ErrorType = "server_error"
	ConnectionError        ErrorType = "connection_error"
	TimeoutError           ErrorType = "timeout_error"
)

// ErrorDetail names a field of the request that is wrong, and says why.
type ErrorDetail struct {
	// Field is a path, such as events[3].actor.id.
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error response of the service, or says why no response came. Each call returns one unless the
// caller's context ended first. It never holds the API key, nor an event.
type Error struct {
	Type    ErrorType
	Message string
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// RequestID is worth quoting when you report a problem.
	RequestID string
	// RetryAfter is how long the service asks to wait; 0 if it does not.
	RetryAfter time.Duration
	Details    []ErrorDetail
	// Unsent: nothing of the request was written, such as after a refused connection. It had no effect.
	Unsent bool

	hasRetryAfter bool
	cause         error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("annals: %s: %s", e.Type, e.Message)
	if e.RequestID != "" {
		text += fmt.Sprintf(" (request %s)", e.RequestID)
	}
	return text
}

func (e *Error) Unwrap() error { return e.cause }

// HadNoEffect says whether the request certainly had no effect: it was never written, or refused.
func (e *Error) HadNoEffect() bool {
	return e.Unsent || (e.Status != 0 && e.Status < unknownFrom)
}

var eventField = regexp.MustCompile(`^events\[(\d+)\]`)

// NamedEvents has the indexes of the events of a batch that Details names.
func (e *Error) NamedEvents() map[int]bool {
	named := map[int]bool{}
	for _, detail := range e.Details {
		if found := eventField.FindStringSubmatch(detail.Field); found != nil {
			if index, err := strconv.Atoi(found[1]); err == nil {
				named[index] = true
			}
		}
	}
	return named
}

// IsType says whether an error is one of the service or of a call, of one of these types if any are named.
func IsType(err error, types ...ErrorType) bool {
	var own *Error
	if !errors.As(err, &own) {
		return false
	}
	return len(types) == 0 || slices.Contains(types, own.Type)
}

// typesByStatus is for a response that does not come from the service: from a proxy, for example.
var typesByStatus = map[int]ErrorType{
	400: ValidationError,
	401: AuthenticationError,
	403: ScopeError,
	404: NotFound,
	408: TimeoutError,
	413: ValidationError,
	422: ValidationError,
	429: RateLimitExceeded,
}

var typesOfService = []ErrorType{
	AuthenticationError, ScopeError, PlanFeatureUnavailable, PlanLimitExceeded, NotFound, ValidationError,
	RateLimitExceeded, ServerError,
}

// errorOf is the error that a response says.
func errorOf(response *http.Response, body []byte, now time.Time) *Error {
	var told struct {
		Error struct {
			Type    ErrorType     `json:"type"`
			Message string        `json:"message"`
			Details []ErrorDetail `json:"details"`
		} `json:"error"`
		// A route for clients of OpenTelemetry has the message next to a gRPC code.
		Message string `json:"message"`
	}
	_ = json.Unmarshal(body, &told)
	kind := told.Error.Type
	if !slices.Contains(typesOfService, kind) {
		kind = typesByStatus[response.StatusCode]
		if kind == "" {
			kind = ServerError
		}
	}
	message := told.Error.Message
	if message == "" {
		message = told.Message
	}
	if message == "" {
		message = fmt.Sprintf("the response has the status %d", response.StatusCode)
	}
	delay, isAsked := delayOf(response.Header.Get("Retry-After"), now)
	return &Error{
		Type:          kind,
		Message:       message,
		Status:        response.StatusCode,
		RequestID:     response.Header.Get("X-Request-Id"),
		RetryAfter:    delay,
		Details:       told.Error.Details,
		hasRetryAfter: isAsked,
	}
}

// longestDelay keeps a number of seconds within a duration.
const longestDelay = 100 * 365 * 24 * time.Hour

// delayOf reads Retry-After: a number of seconds or, from a proxy, a date.
func delayOf(header string, now time.Time) (time.Duration, bool) {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
			return 0, false
		}
		seconds = min(max(0, seconds), longestDelay.Seconds())
		return time.Duration(seconds * float64(time.Second)), true
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, date.Sub(now.Round(0))), true
}
