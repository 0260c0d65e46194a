package annals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds how deep values are in others. The service takes far less.
const maxDepth = 1_000

// strictly reads JSON that has one meaning: valid UTF-8, no member twice, no half of a surrogate pair, and
// no number that a double does not keep.
func strictly(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	if hasLoneSurrogate(text) {
		return nil, errors.New("a half of a surrogate pair")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := strictValue(decoder, 0)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not JSON: something follows it")
	}
	return value, nil
}

func strictValue(decoder *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("it is too deep")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		return token, checkDouble(token.String())
	case json.Delim:
		if token == '{' {
			return strictObject(decoder, depth)
		}
		return strictArray(decoder, depth)
	default:
		return token, nil
	}
}

func strictArray(decoder *json.Decoder, depth int) (any, error) {
	values := []any{}
	for decoder.More() {
		value, err := strictValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	_, err := decoder.Token()
	return values, err
}

func strictObject(decoder *json.Decoder, depth int) (any, error) {
	members := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if _, isThere := members[name]; isThere {
			return nil, fmt.Errorf("the member %q comes twice", name)
		}
		if members[name], err = strictValue(decoder, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token()
	return members, err
}

// hasLoneSurrogate looks at the escapes of JSON.
func hasLoneSurrogate(text []byte) bool {
	for at := bytes.IndexByte(text, '\\'); at >= 0 && at < len(text); {
		unit, isUnit := unitAt(text, at)
		next := at + 2
		if isUnit {
			next = at + 6
			if unit >= 0xDC00 && unit <= 0xDFFF {
				return true
			}
			if unit >= 0xD800 && unit <= 0xDBFF {
				low, isLow := unitAt(text, next)
				if !isLow || low < 0xDC00 || low > 0xDFFF {
					return true
				}
				next += 6
			}
		}
		if next >= len(text) {
			return false
		}
		found := bytes.IndexByte(text[next:], '\\')
		if found < 0 {
			return false
		}
		at = next + found
	}
	return false
}

// unitAt reads \uXXXX.
func unitAt(text []byte, at int) (uint64, bool) {
	if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 32)
	return unit, err == nil
}
