package annals

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
)

// maxLine bounds a line. The service takes events of 64 KiB.
const maxLine = 16 << 20

const timePattern = `\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z`

var (
	chainPattern   = regexp.MustCompile(`^acct_[0-9a-z]{1,64}$`)
	memberPatterns = map[string]*regexp.Regexp{
		"id":            regexp.MustCompile(`^evt_[0-9a-z]{1,64}$`),
		"hash":          hashPattern,
		"previous_hash": hashPattern,
		"created_at":    regexp.MustCompile("^" + timePattern + "$"),
		"occurred_at":   regexp.MustCompile("^" + timePattern + "$"),
		"received_at":   regexp.MustCompile("^" + timePattern + "$"),
	}
	// rangeMembers of a filter leave out the beginning or the end alone.
	rangeMembers = []string{"after_sequence", "before_sequence"}
)

// LinesCheck is what VerifyLines found valid.
type LinesCheck struct {
	Events      int
	ErasedParts int
	// RecordedElsewhere counts the erased parts whose record is not among the lines, and need not be.
	RecordedElsewhere int
	// Producers are those whose events have numbers, by their ids.
	Producers []ProducerCheck
	// HasMoreProducers: more producers, or gaps of their numbers, than Producers has.
	HasMoreProducers bool
}

// VerifyLines verifies an export with proofs: one {"event": …, "proof": …} a line, in order of sequence
// numbers, perhaps with the manifest as the last line. previous is the known hash before the first event,
// for a file that does not begin at 1, or empty. An error names the first invalid line or sequence number.
func VerifyLines(lines io.Reader, previous string) (*LinesCheck, error) {
	verifier := linesVerifier{previous: previous}
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, maxLine)
	number := 1
	for ; scanner.Scan(); number++ {
		if place, fault := verifier.take(scanner.Bytes()); fault != nil {
			if place == "" {
				place = fmt.Sprintf("line %d", number)
			}
			return nil, fmt.Errorf("%s: %w", place, fault)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number, err)
	}
	return verifier.result()
}

type linesVerifier struct {
	count    int
	last     int64
	previous string
	chain    any
	hasEnded bool
	manifest map[string]any
	erasures erasures
	numbers  producerNumbers
}

// take takes a line. Its place is known once it has an event with a sequence number.
func (v *linesVerifier) take(line []byte) (place string, fault error) {
	value, err := strictly(line)
	if err != nil {
		return "", fmt.Errorf("not an event with its proof (%w)", err)
	}
	record, isObject := value.(map[string]any)
	if v.hasEnded {
		return "", errors.New("follows the manifest")
	}
	if _, isManifest := record["manifest"]; isManifest {
		v.hasEnded, v.manifest = true, membersOf(record["manifest"])
		return "", exactMembers(record, "the manifest's line", "manifest", "manifest_sha256")
	}
	v.count++
	if !isObject {
		return "", errors.New("not an event with its proof")
	}
	if err := exactMembers(record, "the line", "event", "proof"); err != nil {
		return "", err
	}
	event, proof := membersOf(record["event"]), membersOf(record["proof"])
	if err := checkShape(event, proof); err != nil {
		return "", err
	}
	number, _ := sequenceOf(event)
	return fmt.Sprintf("sequence number %d", number), v.takeEvent(number, event, proof)
}

func (v *linesVerifier) takeEvent(number int64, event, proof map[string]any) error {
	if err := checkWholeHash(event, proof); err != nil {
		return err
	}
	if v.last != 0 && number != v.last+1 {
		return errors.New("sequence_gap")
	}
	expected := v.previous
	if number == 1 {
		expected = genesis
	}
	if expected != "" && event["previous_hash"] != expected {
		return errors.New("link_mismatch")
	}
	if v.chain != nil && v.chain != proof["chain"] {
		return errors.New("another chain")
	}
	v.last, v.chain = number, proof["chain"]
	v.previous, _ = event["hash"].(string)
	v.erasures.take(number, erasedOf(event), event["action"], membersOf(event["metadata"]))
	v.numbers.take(event)
	return nil
}

func (v *linesVerifier) result() (*LinesCheck, error) {
	if v.count == 0 {
		return nil, errors.New("no events")
	}
	unrecorded := v.erasures.unrecorded()
	if unrecorded > 0 && !v.mayLackRecords() {
		return nil, fmt.Errorf("erasure_unrecorded: %d erased parts have no record", unrecorded)
	}
	return &LinesCheck{
		Events:            v.count,
		ErasedParts:       v.erasures.parts,
		RecordedElsewhere: unrecorded,
		Producers:         v.numbers.result(),
		HasMoreProducers:  v.numbers.isCut,
	}, nil
}

// mayLackRecords says whether the manifest says that later events are missing on purpose.
func (v *linesVerifier) mayLackRecords() bool {
	span, head := membersOf(v.manifest["range"]), membersOf(v.manifest["head"])
	filter, isFilter := v.manifest["filter"].(map[string]any)
	if span == nil || head == nil || !isFilter {
		return false
	}
	for name := range filter {
		if !slices.Contains(rangeMembers, name) {
			return true
		}
	}
	to, isTo := span["to_sequence"].(json.Number)
	at, isAt := head["sequence_number"].(json.Number)
	return isTo && isAt && to != at
}

// exactMembers: of an export every member has a meaning.
func exactMembers(object map[string]any, what string, names ...string) error {
	found := slices.Sorted(maps.Keys(object))
	slices.Sort(names)
	if !slices.Equal(found, names) {
		return fmt.Errorf("%s does not have exactly the members %v", what, names)
	}
	return nil
}

func checkShape(event, proof map[string]any) error {
	if version, isWhole := wholeOf(proof["v"]); !isWhole || version != 1 {
		return errors.New("unknown proof version")
	}
	if err := exactMembers(proof, "the proof", "v", "chain", "salts", "digests"); err != nil {
		return err
	}
	names := append(append([]string{"hash"}, parts...), copied...)
	if _, isErased := event["erased"]; isErased {
		names = append(names, "erased")
		named, erased := partsOf(event["erased"]), erasedOf(event)
		if named == nil || !slices.Equal(named, erased) {
			return errors.New("the erased parts are not a list of parts in their order")
		}
	}
	if err := exactMembers(event, "the event", names...); err != nil {
		return err
	}
	return checkMembers(event, proof)
}

func checkMembers(event, proof map[string]any) error {
	for name, pattern := range memberPatterns {
		if !isLike(pattern, event[name]) {
			return fmt.Errorf("%s is not what it must be", name)
		}
	}
	digests, salts := membersOf(proof["digests"]), membersOf(proof["salts"])
	if err := exactMembers(digests, "digests", slices.Clone(parts)...); err != nil {
		return err
	}
	_, hasAction := event["action"].(string)
	_, hasSalts := proof["salts"].(map[string]any)
	_, isSequence := sequenceOf(event)
	if !hasAction || !hasSalts || !isSequence || !isLike(chainPattern, proof["chain"]) {
		return errors.New("not an event with its proof")
	}
	for _, part := range parts {
		if !isLike(hashPattern, digests[part]) {
			return fmt.Errorf("digests of %s is not what it must be", part)
		}
		if _, isObject := event[part].(map[string]any); !isObject {
			return fmt.Errorf("%s is not what it must be", part)
		}
	}
	for name, salt := range salts {
		if !slices.Contains(parts, name) || !isLike(saltPattern, salt) {
			return fmt.Errorf("salts of %s is not what it must be", name)
		}
	}
	return nil
}

func checkWholeHash(event, proof map[string]any) error {
	salts, digests, erased := membersOf(proof["salts"]), membersOf(proof["digests"]), erasedOf(event)
	for _, part := range parts {
		salt, isSalted := salts[part].(string)
		if slices.Contains(erased, part) {
			if isSalted || len(membersOf(event[part])) > 0 {
				return fmt.Errorf("erased_value_present in %s", part)
			}
			continue
		}
		if digest, err := digestOf(salt, event[part]); !isSalted || err != nil || digest != digests[part] {
			return fmt.Errorf("digest_mismatch in %s", part)
		}
	}
	if !isHashRight(event, proof, digests) {
		return errors.New("hash_mismatch")
	}
	return nil
}

func isLike(pattern *regexp.Regexp, value any) bool {
	text, isText := value.(string)
	return isText && pattern.MatchString(text)
}
