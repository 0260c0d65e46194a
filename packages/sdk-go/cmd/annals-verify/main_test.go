package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// export has the vectors of the service as lines.
func export(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../test/vectors/hash-v1.json")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the vectors are in the repository of the service")
	}
	var all []struct{ Event, Proof json.RawMessage }
	if err := errors.Join(err, json.Unmarshal(text, &all)); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, each := range all {
		_ = json.Compact(&lines, []byte(`{"event":`+string(each.Event)+`,"proof":`+string(each.Proof)+`}`))
		lines.WriteByte('\n')
	}
	return lines.String()
}

func TestItSaysWhetherAFileIsValid(t *testing.T) {
	lines := export(t)
	for _, each := range []struct {
		in   string
		args []string
		code int
		said string
	}{
		{lines, []string{"-"}, 0, "valid: 5 events\n"},
		{strings.Replace(lines, "user.login", "user.logout", 1), []string{"-"}, 1, "invalid: sequence number 1: "},
		{lines, []string{"-", strings.Repeat("1", 64)}, 0, "valid: 5 events\n"},
		{"", []string{"missing.jsonl"}, 2, "missing.jsonl"},
		{"", []string{"."}, 2, "directory"},
		{"", nil, 2, "usage: "},
		{lines, []string{"-", "--producers"}, 2, "usage: "},
		{lines, []string{"--producers", "-"}, 0, "no event has a number of a producer\n"},
	} {
		var out, failed bytes.Buffer
		code := run(each.args, strings.NewReader(each.in), &out, &failed)
		if code != each.code || !strings.Contains(out.String()+failed.String(), each.said) {
			t.Errorf("%v: %d, %s%s", each.args, code, out.String(), failed.String())
		}
	}
}
