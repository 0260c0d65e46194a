package annals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// jsonOf is the JSON of what a caller gives. It fails for NaN and Infinity, and never panics.
func jsonOf(value any) (text []byte, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("annals: a value has no JSON: %v", thrown)
		}
	}()
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// decode reads a response without validating it: a member of another type than this version knows stays
// empty, and does not make the call fail.
func decode(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return nil
	}
	return err
}

// Strings is one value or several. It reads a single text as well as an array, and writes one value as a text.
type Strings []string

func (s Strings) MarshalJSON() ([]byte, error) {
	if len(s) == 1 {
		return json.Marshal(s[0])
	}
	return json.Marshal([]string(s))
}

func (s *Strings) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = Strings{one}
		return nil
	}
	return decode(text, (*[]string)(s))
}

// Nullable is a member that a request can leave out, set to null, or give a value: the zero value leaves it
// out.
type Nullable[T any] struct {
	value *T
	isSet bool
}

// Value is a member with a value.
func Value[T any](value T) Nullable[T] { return Nullable[T]{value: &value, isSet: true} }

// Null is a member that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{isSet: true} }

// Get returns the value; nil if there is none.
func (n Nullable[T]) Get() *T { return n.value }

// IsZero says whether the member is left out.
func (n Nullable[T]) IsZero() bool { return !n.isSet }

func (n Nullable[T]) MarshalJSON() ([]byte, error) { return jsonOf(n.value) }

func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	n.isSet = true
	return decode(text, &n.value)
}

// Ptr is the address of a value, for members that are optional.
func Ptr[T any](value T) *T { return &value }
