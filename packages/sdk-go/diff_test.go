package annals_test

import (
	"encoding/json"
	"testing"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

type address struct {
	City   string   `json:"city"`
	Secret string   `json:"secret,omitempty"`
	Tags   []string `json:"tags,omitempty"`
}

type invoice struct {
	Total   int       `json:"total"`
	Note    *string   `json:"note"`
	Secret  string    `json:"secret"`
	Address address   `json:"address"`
	Lines   []address `json:"lines,omitempty"`
}

func TestADifferenceHasTheMembersThatDiffer(t *testing.T) {
	before := invoice{
		Total: 1200, Secret: "a", Address: address{City: "x", Secret: "a", Tags: []string{"p", "q"}},
		Lines: []address{{City: "l", Secret: "a"}},
	}
	after := before
	after.Total, after.Note, after.Secret = 1250, annals.Ptr("n"), "b"
	after.Address = address{City: "x", Secret: "b", Tags: []string{"p"}}
	after.Lines = []address{{City: "l", Secret: "b"}}
	for name, each := range map[string]struct {
		before, after any
		omit          []string
		want          string
	}{
		"some": {before, after, []string{"secret"},
			`{"before":{"address":{"tags":["p","q"]},"note":null,"total":1200},"after":{"address":{"tags":["p"]},"note":"n","total":1250}}`},
		"none":          {before, before, nil, `{"before":{},"after":{}}`},
		"made":          {nil, map[string]any{"a": 1}, nil, `{"before":{},"after":{"a":1}}`},
		"deleted":       {map[string]any{"a": nil}, nil, nil, `{"before":{"a":null},"after":{}}`},
		"another kind":  {map[string]any{"a": []int{1}}, map[string]any{"a": map[string]int{}}, nil, `{"before":{"a":[1]},"after":{"a":{}}}`},
		"inner members": {map[string]any{"a": map[string]int{"b": 1}}, map[string]any{"a": map[string]int{"c": 1}}, nil, `{"before":{"a":{"b":1}},"after":{"a":{"c":1}}}`},
	} {
		diff, err := annals.DiffOf(each.before, each.after, each.omit...)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(diff); err != nil || string(text) != each.want {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	if _, err := annals.DiffOf([]int{1}, nil); err == nil {
		t.Error("an array has no members")
	}
}
