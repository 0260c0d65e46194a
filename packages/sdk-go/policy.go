package annals

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a policy: bytes, and logs, witnesses and groups each.
const (
	maxPolicy        = 256 << 10
	maxPolicyEntries = 32
)

const noQuorum = "none"

// logPolicy (c2sp.org/tlog-policy) says which logs are accepted, and which witnesses make a quorum. The
// caller of a verifier writes one; what a service says must never replace it.
type logPolicy struct {
	logs      []verifierKey
	witnesses []witness
	// groups have only members that stand before them.
	groups []policyGroup
	// quorum is the name of a witness or a group, or none; empty until its line is read.
	quorum string

	names, members map[string]bool
}

// witness has a name within the policy, which is not that of its key.
type witness struct {
	name string
	key  verifierKey
}

// policyGroup has seen a checkpoint once as many members have as its threshold says.
type policyGroup struct {
	name      string
	threshold int64
	members   []string
}

var (
	policyControl = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)
	errTooMany    = fmt.Errorf("a policy has at most %d logs, witnesses and groups each", maxPolicyEntries)
)

// readPolicy returns an error that names the line.
func readPolicy(text string) (*logPolicy, error) {
	if len(text) > maxPolicy || policyControl.MatchString(text) || !utf8.ValidString(text) {
		return nil, errors.New("it is too long, or has control characters")
	}
	policy := &logPolicy{names: map[string]bool{noQuorum: true}, members: map[string]bool{}}
	for index, line := range strings.Split(text, "\n") {
		items := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(items) == 0 || strings.HasPrefix(items[0], "#") {
			continue
		}
		if err := policy.read(items[0], items[1:]); err != nil {
			return nil, fmt.Errorf("line %d: %w", index+1, err)
		}
	}
	if policy.quorum == "" {
		return nil, errors.New("it has no quorum line")
	}
	return policy, nil
}

func (p *logPolicy) read(keyword string, items []string) error {
	switch keyword {
	case "log":
		return p.readLog(items)
	case "witness":
		return p.readWitness(items)
	case "group":
		return p.readGroup(items)
	case "quorum":
		return p.readQuorum(items)
	default:
		return errors.New("a line begins with log, witness, group or quorum")
	}
}

func (p *logPolicy) readLog(items []string) error {
	if len(items) < 1 || len(items) > 2 {
		return errors.New("log <vkey> [<url>]")
	}
	key, err := readKey(items[0])
	switch {
	case err != nil:
		return err
	case key.kind != kindLog:
		return errors.New("the key is not that of a log")
	case len(p.logs) == maxPolicyEntries:
		return errTooMany
	case slices.ContainsFunc(p.logs, key.isSame):
		return errors.New("the public key appears twice")
	}
	p.logs = append(p.logs, key)
	return nil
}

func (p *logPolicy) readWitness(items []string) error {
	if len(items) < 2 || len(items) > 3 {
		return errors.New("witness <name> <vkey> [<url>]")
	}
	key, err := readKey(items[1])
	switch {
	case err != nil:
		return err
	case key.kind == kindLog:
		return errors.New("the key is not that of a witness")
	case len(p.witnesses) == maxPolicyEntries:
		return errTooMany
	case slices.ContainsFunc(p.witnesses, func(w witness) bool { return key.isSame(w.key) }):
		return errors.New("the public key appears twice")
	}
	p.witnesses = append(p.witnesses, witness{items[0], key})
	return p.define(items[0])
}

func (p *logPolicy) readGroup(items []string) error {
	if len(items) < 3 {
		return errors.New("group <name> <all, any or a number> <name>...")
	}
	if len(p.groups) == maxPolicyEntries {
		return errTooMany
	}
	members := items[2:]
	for _, member := range members {
		if err := p.addMember(member); err != nil {
			return err
		}
	}
	threshold, _ := wholeText(items[1])
	switch items[1] {
	case "all":
		threshold = int64(len(members))
	case "any":
		threshold = 1
	}
	if threshold < 1 || threshold > int64(len(members)) {
		return fmt.Errorf("the threshold is all, any, or a number from 1 to %d", len(members))
	}
	p.groups = append(p.groups, policyGroup{items[0], threshold, members})
	return p.define(items[0])
}

func (p *logPolicy) readQuorum(items []string) error {
	if len(items) != 1 {
		return errors.New("quorum <name>")
	}
	if p.quorum != "" {
		return errors.New("there is a second quorum")
	}
	p.quorum = items[0]
	if p.quorum == noQuorum {
		return nil
	}
	return p.expectDefined(p.quorum)
}

func (p *logPolicy) define(name string) error {
	if p.names[name] {
		return errors.New("the name is defined already")
	}
	p.names[name] = true
	return nil
}

// addMember: a name is a member once in the whole policy, so that a witness counts in one way only.
func (p *logPolicy) addMember(name string) error {
	if err := p.expectDefined(name); err != nil {
		return err
	}
	if p.members[name] {
		return errors.New("a name is a member twice")
	}
	p.members[name] = true
	return nil
}

func (p *logPolicy) expectDefined(name string) error {
	if name == noQuorum || !p.names[name] {
		return errors.New("the name is not defined on a line before")
	}
	return nil
}

// isSame: also under other names.
func (k verifierKey) isSame(other verifierKey) bool { return bytes.Equal(k.public, other.public) }

// logKeys are those of the head log, or of an account: a log signs the checkpoints of its accounts with its
// own key, under their names.
func (p *logPolicy) logKeys(account string) []verifierKey {
	if account == "" {
		return p.logs
	}
	var keys []verifierKey
	for _, key := range p.logs {
		if name := key.name + "/" + account; isKeyName(name) {
			keys = append(keys, makeKey(name, key.kind, key.public))
		}
	}
	return keys
}

// isQuorum says whether these witnesses make one.
func (p *logPolicy) isQuorum(signed []Cosignature) bool {
	met := map[string]bool{noQuorum: true}
	for _, each := range signed {
		met[each.Witness] = true
	}
	// Members stand before their group, so one pass suffices.
	for _, group := range p.groups {
		count := int64(0)
		for _, member := range group.members {
			if met[member] {
				count++
			}
		}
		if count >= group.threshold {
			met[group.name] = true
		}
	}
	return met[p.quorum]
}
