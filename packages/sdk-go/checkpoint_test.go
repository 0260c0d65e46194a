package annals_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

const account = "acct_29a6a5e3c39862766d20"

type noteVectors struct {
	Keys   map[string]struct{ Vkey string }
	Policy string
	Valid  []struct{ Note string }
}

// notes are the worked examples of the service, which are in its repository.
func notes(t *testing.T) noteVectors {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../test/vectors/evidence", "note.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the vectors are in the repository of the service")
	}
	var all noteVectors
	if err := errors.Join(err, json.Unmarshal(text, &all)); err != nil {
		t.Fatal(err)
	}
	return all
}

func reasonOf(err error) string {
	var refused *annals.CheckpointError
	switch {
	case err == nil:
		return "accepted"
	case errors.As(err, &refused):
		return string(refused.Reason)
	default:
		return err.Error()
	}
}

func TestACheckpointIsAcceptedByWhatItsCallerTrusts(t *testing.T) {
	all := notes(t)
	log := all.Keys["log"].Vkey
	alone, witnessed, ofAccount := all.Valid[0].Note, all.Valid[2].Note, all.Valid[3].Note
	other := annals.CheckpointOptions{Account: "acct_1"}
	own := annals.CheckpointOptions{Account: account}
	for name, each := range map[string]struct {
		note, trusted string
		options       annals.CheckpointOptions
		reason        string
	}{
		"the vkey":                 {alone, log, annals.CheckpointOptions{}, "accepted"},
		"the vkey of a line":       {alone, log + "\n", annals.CheckpointOptions{}, "accepted"},
		"a policy with its quorum": {witnessed, all.Policy, annals.CheckpointOptions{}, "accepted"},
		"no quorum":                {alone, all.Policy, annals.CheckpointOptions{}, "quorum_missing"},
		"an account":               {ofAccount, log, own, "accepted"},
		"another account":          {ofAccount, log, other, "signature_missing"},
		"an account's as the log's": {
			ofAccount, log, annals.CheckpointOptions{}, "signature_missing",
		},
		"another log":     {alone, all.Keys["next"].Vkey, annals.CheckpointOptions{}, "signature_missing"},
		"another size":    {strings.Replace(alone, "\n12\n", "\n13\n", 1), log, annals.CheckpointOptions{}, "signature_invalid"},
		"no note":         {"x", log, annals.CheckpointOptions{}, "malformed"},
		"an end too soon": {"x\n\n", log, annals.CheckpointOptions{}, "malformed"},
	} {
		if _, err := annals.VerifyCheckpoint(each.note, each.trusted, each.options); reasonOf(err) != each.reason {
			t.Errorf("%s: %s", name, reasonOf(err))
		}
	}
}

func TestACheckpointSaysWhatWasSigned(t *testing.T) {
	all := notes(t)
	found, err := annals.VerifyCheckpoint(all.Valid[2].Note, all.Policy, annals.CheckpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	root := "45b771c71b0e2933164e5bd6dbce54006d17f14ad41d98bcd726bded959f9c94"
	isRight := found.Origin == "log.example.com/vectors" && found.Size == 12 && found.Root == root
	if !isRight || len(found.Witnesses) != 2 || found.Uncounted != nil {
		t.Errorf("%+v", found)
	}
	if first := found.Witnesses[0]; first.Witness != "w1" || !first.Time.Equal(time.Unix(1_772_500_000, 0)) {
		t.Errorf("%+v", first)
	}
}

func TestAPolicyThatCannotBeUsedIsNamed(t *testing.T) {
	all := notes(t)
	log := all.Keys["log"].Vkey
	for trusted, said := range map[string]string{
		"":                                "it has no quorum line",
		"x":                               "line 1: a vkey is",
		log + "x":                         "line 1: a vkey is",
		"log " + log + "\n# é\nwitness w": "line 3: witness <name>",
		"quorum none\r":                   "control characters",
		"quorum none\nquorum none":        "line 2: there is a second quorum",
		"log " + log + "\nlog " + log:     "line 2: the public key appears twice",
		"# \xff\nquorum none":             "control characters",
		"quorum none\n#" + strings.Repeat("é", 1<<17): "too long",
	} {
		_, err := annals.VerifyCheckpoint(all.Valid[0].Note, trusted, annals.CheckpointOptions{})
		if err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%.40q: %v", trusted, err)
		}
	}
}
