package annals

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// CheckpointReason says why a checkpoint is not accepted.
type CheckpointReason string

const (
	CheckpointMalformed        CheckpointReason = "malformed"
	CheckpointSignatureMissing CheckpointReason = "signature_missing"
	CheckpointSignatureInvalid CheckpointReason = "signature_invalid"
	CheckpointQuorumMissing    CheckpointReason = "quorum_missing"
)

// CheckpointError says why a checkpoint is not accepted.
type CheckpointError struct {
	Reason  CheckpointReason
	message string
}

func (e *CheckpointError) Error() string { return "annals: " + e.message }

// CheckpointOptions say which checkpoint it must be.
type CheckpointOptions struct {
	// Account is the id of the account whose checkpoint it must be. Without it, it must be one of the head
	// log, which is the one that witnesses sign.
	Account string
}

// VerifiedCheckpoint is what VerifyCheckpoint accepts.
type VerifiedCheckpoint struct {
	// Origin is the name of the log.
	Origin string
	// Size is the number of entries: of an account, its events.
	Size int64
	// Root of the tree: 64 lower-case hexadecimal characters.
	Root string
	// Witnesses of the policy whose cosignatures are right.
	Witnesses []Cosignature
	// Uncounted are witnesses of the policy whose lines counted for nothing: they are of ML-DSA-44, which the
	// standard library of Go lacks, or have no time.
	Uncounted []string
}

// Cosignature says when a witness signed.
type Cosignature struct {
	// Witness is its name within the policy.
	Witness string
	Time    time.Time
}

const timeBytes = 8

// lastTime in seconds is the last that all SDKs accept: dates of JavaScript end there.
const lastTime = 8_640_000_000_000

var checkpointText = regexp.MustCompile(`^([^\n]+)\n([^\n]+)\n([^\n]+)\n$`)

// VerifyCheckpoint verifies a checkpoint of the log of evidence without a network: a log that trusted names
// signed it, and a quorum of its witnesses did if it is one of the head log. trusted is a vkey or the text of
// a policy (c2sp.org/tlog-policy). A checkpoint that is not accepted is a *CheckpointError; any other error is
// one of trusted.
//
// It must never trust a key that came with the checkpoint.
func VerifyCheckpoint(checkpoint, trusted string, options CheckpointOptions) (*VerifiedCheckpoint, error) {
	policy, err := readTrust(trusted)
	if err != nil {
		return nil, err
	}
	note, err := parseNote(checkpoint)
	if err != nil {
		return nil, refused(CheckpointMalformed, "the text is not a signed checkpoint")
	}
	found, err := readCheckpoint(note.text)
	if err != nil {
		return nil, refused(CheckpointMalformed, "the text is not a signed checkpoint")
	}
	if err := checkLogs(note, policy.logKeys(options.Account), found.Origin); err != nil {
		return nil, err
	}
	if err := found.takeWitnesses(note, policy); err != nil {
		return nil, err
	}
	if options.Account == "" && !policy.isQuorum(found.Witnesses) {
		return nil, refused(CheckpointQuorumMissing, "the witnesses that signed make no quorum")
	}
	return found, nil
}

func refused(reason CheckpointReason, message string) error { return &CheckpointError{reason, message} }

func wrongSignature(name string) error {
	return refused(CheckpointSignatureInvalid, fmt.Sprintf("the signature of %s is wrong", name))
}

// readCheckpoint parses the text of a note: origin, size and root, without further lines.
func readCheckpoint(text string) (*VerifiedCheckpoint, error) {
	lines := checkpointText.FindStringSubmatch(text)
	if lines == nil || !isKeyName(lines[1]) {
		return nil, errNote
	}
	size, isDecimal := wholeText(lines[2])
	root, isBase64 := strictBase64(lines[3])
	if !isDecimal || !isBase64 || len(root) != 32 {
		return nil, errNote
	}
	return &VerifiedCheckpoint{Origin: lines[1], Size: size, Root: hex.EncodeToString(root)}, nil
}

// checkLogs: one of the keys signed the note, by the name of its origin. A line of another key counts for
// nothing; one wrong line of a known key refuses all.
func checkLogs(note signedNote, keys []verifierKey, origin string) error {
	isSigned := false
	for _, line := range note.signatures {
		at := slices.IndexFunc(keys, line.isBy)
		if at < 0 {
			continue
		}
		if !ed25519.Verify(keys[at].public, []byte(note.text), line.signature) {
			return wrongSignature(keys[at].name)
		}
		isSigned = isSigned || keys[at].name == origin
	}
	if !isSigned {
		return refused(CheckpointSignatureMissing, "no log that is trusted signed it by this name")
	}
	return nil
}

func (c *VerifiedCheckpoint) takeWitnesses(note signedNote, policy *logPolicy) error {
	for _, line := range note.signatures {
		at := slices.IndexFunc(policy.witnesses, func(w witness) bool { return line.isBy(w.key) })
		if at < 0 {
			continue
		}
		by := policy.witnesses[at]
		if len(line.signature) <= timeBytes {
			return wrongSignature(by.name)
		}
		signed, signature := timeIn(line.signature), line.signature[timeBytes:]
		if signed > maxSequence {
			return wrongSignature(by.name)
		}
		if by.key.kind == kindMLDSA {
			c.Uncounted = append(c.Uncounted, by.name)
			continue
		}
		message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", signed, note.text)
		if signed > lastTime || !ed25519.Verify(by.key.public, []byte(message), signature) {
			return wrongSignature(by.name)
		}
		if signed == 0 {
			c.Uncounted = append(c.Uncounted, by.name)
		} else {
			c.Witnesses = append(c.Witnesses, Cosignature{by.name, time.Unix(int64(signed), 0).UTC()})
		}
	}
	return nil
}

// readTrust reads a policy, or a single vkey: then the log counts without witnesses.
func readTrust(text string) (*logPolicy, error) {
	word := strings.TrimFunc(text, isSpace)
	if word != "" && strings.IndexFunc(word, isSpace) < 0 {
		text = "log " + text + "\nquorum none"
	}
	policy, err := readPolicy(text)
	if err != nil {
		return nil, fmt.Errorf("annals: the policy cannot be used: %w", err)
	}
	return policy, nil
}
