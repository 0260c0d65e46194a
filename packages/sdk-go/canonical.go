package annals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

var errNotCanonical = errors.New("annals: a value that the hash format does not have")

// canonical writes a value as RFC 8785 has it. Values are those of encoding/json with UseNumber.
func canonical(value any) (string, error) {
	var text strings.Builder
	err := writeCanonical(&text, value)
	return text.String(), err
}

func writeCanonical(text *strings.Builder, value any) error {
	switch value := value.(type) {
	case nil:
		text.WriteString("null")
	case bool:
		text.WriteString(strconv.FormatBool(value))
	case string:
		return writeString(text, value)
	case float64:
		text.WriteString(numberText(value))
	case json.Number:
		number, err := doubleOf(value)
		if err != nil {
			return err
		}
		text.WriteString(numberText(number))
	case []any:
		return writeArray(text, value)
	case map[string]any:
		return writeObject(text, value)
	default:
		return fmt.Errorf("%w: %T", errNotCanonical, value)
	}
	return nil
}

func writeArray(text *strings.Builder, values []any) error {
	text.WriteByte('[')
	for index, value := range values {
		if index > 0 {
			text.WriteByte(',')
		}
		if err := writeCanonical(text, value); err != nil {
			return err
		}
	}
	text.WriteByte(']')
	return nil
}

func writeObject(text *strings.Builder, members map[string]any) error {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	text.WriteByte('{')
	for index, name := range names {
		if index > 0 {
			text.WriteByte(',')
		}
		if err := writeString(text, name); err != nil {
			return err
		}
		text.WriteByte(':')
		if err := writeCanonical(text, members[name]); err != nil {
			return err
		}
	}
	text.WriteByte('}')
	return nil
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func writeString(text *strings.Builder, value string) error {
	text.WriteByte('"')
	for _, letter := range value {
		escape, isShort := shortEscapes[letter]
		switch {
		case letter == 0:
			return fmt.Errorf("%w: U+0000", errNotCanonical)
		case isShort:
			text.WriteString(escape)
		case letter < 0x20:
			fmt.Fprintf(text, `\u%04x`, letter)
		default:
			text.WriteRune(letter)
		}
	}
	text.WriteByte('"')
	return nil
}

// numberText is ECMAScript's text of a double.
func numberText(value float64) string {
	if value == 0 {
		return "0"
	}
	if size := math.Abs(value); size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	power, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%se%+d", mantissa, power)
}

func doubleOf(number json.Number) (float64, error) {
	if err := checkDouble(number.String()); err != nil {
		return 0, fmt.Errorf("%w: %w", errNotCanonical, err)
	}
	return number.Float64()
}

// checkDouble refuses a number that a double does not keep.
func checkDouble(text string) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	if decimalOf(strconv.FormatFloat(value, 'e', -1, 64)) != decimalOf(text) {
		return fmt.Errorf("%s is a number that a double does not keep", text)
	}
	return nil
}

// decimal is a number without the zeros around its digits.
type decimal struct {
	isNegative bool
	digits     string
	exponent   int64
}

func decimalOf(text string) decimal {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	// A power that no double has was refused before, but for zero, whose power says nothing.
	exponent, _ := strconv.ParseInt(strings.TrimPrefix(power, "+"), 10, 64)
	unsigned, isNegative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return decimal{}
	}
	return decimal{isNegative, short, exponent + int64(len(digits)-len(short))}
}

// exactly reads JSON, and keeps the digits of numbers.
func exactly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
