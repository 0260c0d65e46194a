package annals

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
)

// parts of an event, each of which has a digest of its own.
var parts = []string{"actor", "context", "diff", "metadata", "target"}

// copied are the members that the hash of an event covers as they are.
var copied = []string{
	"action", "created_at", "id", "occurred_at", "previous_hash", "received_at", "sequence_number",
}

var (
	genesis     = strings.Repeat("0", 64)
	hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	saltPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

const maxSequence = 1<<53 - 1

// State says what was found.
type State string

const (
	Verified State = "verified"
	Differs  State = "differs"
	// Unchecked: there is nothing to compare with.
	Unchecked State = "unchecked"
	// Hidden: neither the part's salt nor all of its value is shown, or it is erased. Its digest is still
	// covered by the hash.
	Hidden State = "hidden"
)

// EventCheck is what the proof of one event says.
type EventCheck struct {
	State State
	// Parts and Hash are empty without a proof.
	Parts map[string]State
	Hash  State
}

// checkEvent compares an event with its proof, both as JSON with its numbers kept.
func checkEvent(event, proof map[string]any) EventCheck {
	if version, isWhole := wholeOf(proof["v"]); !isWhole || version != 1 {
		return EventCheck{State: Unchecked}
	}
	salts, digests := membersOf(proof["salts"]), membersOf(proof["digests"])
	erased := erasedOf(event)
	check := EventCheck{State: Verified, Parts: map[string]State{}, Hash: Verified}
	for _, part := range parts {
		if slices.Contains(erased, part) {
			check.Parts[part] = checkErased(event[part], salts[part])
		} else {
			check.Parts[part] = checkPart(part, event[part], salts[part], digests[part])
		}
		if check.Parts[part] == Differs {
			check.State = Differs
		}
	}
	if !isHashRight(event, proof, digests) {
		check.Hash, check.State = Differs, Differs
	}
	return check
}

// checkErased: an erased part has neither a salt nor a member.
func checkErased(value, salt any) State {
	members, isObject := value.(map[string]any)
	if salt == nil && (value == nil || (isObject && len(members) == 0)) {
		return Hidden
	}
	return Differs
}

func checkPart(part string, value, salt, digest any) State {
	if salt == nil {
		if isWithheld(part, value) {
			return Hidden
		}
		return Differs
	}
	if value == nil {
		value = map[string]any{}
	}
	_, isObject := value.(map[string]any)
	given, _ := salt.(string)
	if !isObject || !saltPattern.MatchString(given) {
		return Differs
	}
	if own, err := digestOf(given, value); err != nil || own != digest {
		return Differs
	}
	return Verified
}

// isWithheld: only the id and the type of an actor or a target may be shown without the salt of the part.
func isWithheld(part string, value any) bool {
	if value == nil {
		return true
	}
	members, isObject := value.(map[string]any)
	for name := range members {
		if (part != "actor" && part != "target") || (name != "id" && name != "type") {
			return false
		}
	}
	return isObject
}

func digestOf(salt string, value any) (string, error) {
	text, err := canonical(value)
	if err != nil {
		return "", err
	}
	bytes, err := hex.DecodeString(salt)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(bytes, text...))
	return hex.EncodeToString(sum[:]), nil
}

func isHashRight(event, proof, digests map[string]any) bool {
	if _, isNumber := sequenceOf(event); !isNumber {
		return false
	}
	leaf := map[string]any{"v": json.Number("1")}
	for _, name := range copied {
		leaf[name] = event[name]
	}
	own := map[string]any{}
	for _, part := range parts {
		digest, _ := digests[part].(string)
		if !hashPattern.MatchString(digest) {
			return false
		}
		own[part] = digest
	}
	leaf["chain"] = proof["chain"]
	for name, value := range leaf {
		if _, isText := value.(string); !isText && name != "v" && name != "sequence_number" {
			return false
		}
	}
	leaf["digests"] = own
	text, err := canonical(leaf)
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte("\x00" + text))
	return hex.EncodeToString(sum[:]) == event["hash"]
}

// checkLinks says for each event, in the order given, whether it links to the one before it. Any order will
// do.
func checkLinks(events []map[string]any) []State {
	hashes := map[int64]string{0: genesis}
	for _, event := range events {
		number, _ := sequenceOf(event)
		hash, _ := event["hash"].(string)
		// Two different events with one number: nothing can link to both.
		if before, isThere := hashes[number]; isThere && before != hash {
			hash = ""
		}
		hashes[number] = hash
	}
	links := make([]State, len(events))
	for index, event := range events {
		number, isNumber := sequenceOf(event)
		before, isThere := hashes[number-1]
		previous, _ := event["previous_hash"].(string)
		isLinked := isThere && before != "" && before == previous && hashes[number] != ""
		switch {
		case !isThere && isNumber:
			links[index] = Unchecked
		case isLinked && isNumber:
			links[index] = Verified
		default:
			links[index] = Differs
		}
	}
	return links
}

func sequenceOf(event map[string]any) (int64, bool) { return wholeOf(event["sequence_number"]) }

// wholeOf is a whole number from 1 on that a double keeps.
func wholeOf(value any) (int64, bool) {
	whole, isCount := countOf(value)
	return whole, isCount && whole >= 1
}

// countOf is a whole number from 0 on that a double keeps.
func countOf(value any) (int64, bool) {
	number, isNumber := value.(json.Number)
	whole, err := number.Float64()
	if !isNumber || err != nil || whole != math.Trunc(whole) || whole < 0 || whole > maxSequence {
		return 0, false
	}
	return int64(whole), true
}

func membersOf(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}

// erasedOf names the erased parts of an event, in the order of the parts.
func erasedOf(event map[string]any) []string {
	listed, _ := event["erased"].([]any)
	var erased []string
	for _, part := range parts {
		if slices.Contains(listed, any(part)) {
			erased = append(erased, part)
		}
	}
	return erased
}
