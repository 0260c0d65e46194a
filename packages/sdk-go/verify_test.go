package annals_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"strings"
	"testing"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

type vector struct {
	Event json.RawMessage `json:"event"`
	Proof json.RawMessage `json:"proof"`
}

// vectors of the service, which are in its repository.
func vectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("../../test/vectors/hash-v1.json")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the vectors are in the repository of the service")
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// linesOf are those of an export; its events are changed on the way.
func linesOf(all []vector, change func(line string) string) string {
	var text strings.Builder
	for _, each := range all {
		var line bytes.Buffer
		_ = json.Compact(&line, []byte(`{"event":`+string(each.Event)+`,"proof":`+string(each.Proof)+`}`))
		text.WriteString(change(line.String()) + "\n")
	}
	return text.String()
}

func unchanged(line string) string { return line }

func TestTheVectorsAreValid(t *testing.T) {
	all := vectors(t)
	check, err := annals.VerifyLines(strings.NewReader(linesOf(all, unchanged)), "")
	if err != nil || check.Events != len(all) {
		t.Errorf("%+v, %v", check, err)
	}
	// The last line of a file may have no end.
	text := strings.TrimSuffix(linesOf(all, unchanged), "\n")
	if _, err := annals.VerifyLines(strings.NewReader(text), ""); err != nil {
		t.Error(err)
	}
}

func TestEachChangeIsFound(t *testing.T) {
	all := vectors(t)
	replaced := func(old, new string) func(string) string {
		return func(line string) string { return strings.Replace(line, old, new, 1) }
	}
	first := func(change func(string) string) string {
		return linesOf(all[:1], change) + linesOf(all[1:], unchanged)
	}
	for name, text := range map[string]string{
		"an action":                          first(replaced(`"user.login"`, `"user.logout"`)),
		"a part":                             first(replaced(`"u_1"`, `"u_2"`)),
		"a number":                           first(replaced(`1.5`, `1.25`)),
		"a number that a double cannot keep": first(replaced(`1.5`, `1.50000000000000000001`)),
		"a member twice":                     first(replaced(`"action":`, `"action":"x","action":`)),
		"another member":                     first(replaced(`"action":`, `"x":1,"action":`)),
		"a half of a surrogate pair":         first(replaced(`"u_1"`, `"\ud800"`)),
		"something after the line":           first(func(line string) string { return line + " 1" }),
		"an empty line":                      "\n" + linesOf(all, unchanged),
		"the first line missing":             linesOf(all[1:], unchanged) + linesOf(all[:1], unchanged),
		"one in the middle missing":          linesOf(append([]vector{all[0]}, all[2:]...), unchanged),
		"nothing at all":                     "",
		"a line after the manifest":          `{"manifest":{},"manifest_sha256":""}` + "\n" + linesOf(all, unchanged),
	} {
		if _, err := annals.VerifyLines(strings.NewReader(text), ""); err == nil {
			t.Errorf("%s is valid", name)
		}
	}
	same := first(replaced(`1.5`, `15e-1`))
	if _, err := annals.VerifyLines(strings.NewReader(same), ""); err != nil {
		t.Errorf("another text of the same number: %v", err)
	}
}

func TestAFileThatBeginsLaterNeedsTheHashBeforeIt(t *testing.T) {
	all := vectors(t)
	var before struct{ Hash string }
	if err := json.Unmarshal(all[0].Event, &before); err != nil {
		t.Fatal(err)
	}
	text := linesOf(all[1:], unchanged)
	if _, err := annals.VerifyLines(strings.NewReader(text), before.Hash); err != nil {
		t.Error(err)
	}
	if _, err := annals.VerifyLines(strings.NewReader(text), strings.Repeat("0", 64)); err == nil {
		t.Error("another hash before the first is valid")
	}
}

// pages of a list, the newest event first if it is reversed.
func pages(t *testing.T, all []vector, size int) iter.Seq2[*annals.EventPage, error] {
	t.Helper()
	return func(yield func(*annals.EventPage, error) bool) {
		for at := 0; at < len(all); at += size {
			var events, proofs []json.RawMessage
			for _, each := range all[at:min(at+size, len(all))] {
				events, proofs = append(events, each.Event), append(proofs, each.Proof)
			}
			text, err := json.Marshal(map[string]any{"data": events, "proofs": proofs})
			if err != nil {
				t.Fatal(err)
			}
			var page annals.EventPage
			if err := json.Unmarshal(text, &page); err != nil {
				t.Fatal(err)
			}
			if !yield(&page, nil) {
				return
			}
		}
	}
}

func TestListedEventsAreVerifiedInAnyOrder(t *testing.T) {
	all := vectors(t)
	reversed := make([]vector, 0, len(all))
	for _, each := range all {
		reversed = append([]vector{each}, reversed...)
	}
	for _, order := range [][]vector{all, reversed} {
		for size := 1; size <= len(all); size++ {
			check, err := annals.VerifyEvents(pages(t, order, size))
			if err != nil || check.State != annals.Verified || check.LinksUnchecked != 0 || check.Events != len(all) {
				t.Errorf("%+v, %v", check, err)
			}
		}
	}
	gap := append([]vector{all[0]}, all[2:]...)
	check, err := annals.VerifyEvents(pages(t, gap, 2))
	if err != nil || check.State != annals.Verified || check.LinksUnchecked != 1 {
		t.Errorf("%+v, %v", check, err)
	}
}

func TestAListedEventThatDiffersIsNamed(t *testing.T) {
	all := vectors(t)
	all[1].Event = json.RawMessage(strings.Replace(string(all[1].Event), `"action":"`, `"action":"x`, 1))
	if !strings.Contains(string(all[1].Event), `"x`) {
		all[1].Event = json.RawMessage(strings.Replace(string(all[1].Event), `"action": "`, `"action": "x`, 1))
	}
	check, err := annals.VerifyEvents(pages(t, all, 2))
	if err != nil || check.State != annals.Differs || len(check.Faults) != 1 || check.Faults[0].SequenceNumber != 2 {
		t.Errorf("%+v, %v", check, err)
	}
	all = vectors(t)
	all[2].Proof = json.RawMessage(`{"v":2}`)
	if check, err := annals.VerifyEvents(pages(t, all, 2)); err != nil || check.State != annals.Unchecked {
		t.Errorf("%+v, %v", check, err)
	}
	if check, err := annals.VerifyEvents(pages(t, nil, 2)); err != nil || check.State != annals.Unchecked {
		t.Errorf("%+v, %v", check, err)
	}
}
