package annals

import (
	"errors"
	"slices"
)

var errNoObject = errors.New("annals: a difference is of objects")

// DiffOf is what changed between two states, as the Diff of an event: the members that differ, at every
// depth; arrays are compared whole. omit names members that are left out at every depth, such as passwords.
// A state is read as encoding/json writes it; nil has no members.
func DiffOf(before, after any, omit ...string) (*Diff, error) {
	old, err := stateOf(before, omit)
	if err != nil {
		return nil, err
	}
	now, err := stateOf(after, omit)
	if err != nil {
		return nil, err
	}
	removed, added := changes(old, now)
	return &Diff{Before: removed, After: added}, nil
}

func stateOf(value any, omit []string) (map[string]any, error) {
	text, err := jsonOf(value)
	if err != nil {
		return nil, err
	}
	var read any
	if err := exactly(text, &read); err != nil {
		return nil, err
	}
	if read == nil {
		return map[string]any{}, nil
	}
	members, isObject := read.(map[string]any)
	if !isObject {
		return nil, errNoObject
	}
	leaveOut(members, omit)
	return members, nil
}

func leaveOut(value any, omit []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, each := range value {
			if slices.Contains(omit, name) {
				delete(value, name)
			} else {
				leaveOut(each, omit)
			}
		}
	case []any:
		for _, each := range value {
			leaveOut(each, omit)
		}
	}
}

func changes(before, after map[string]any) (removed, added map[string]any) {
	removed, added = map[string]any{}, map[string]any{}
	for name, old := range before {
		now, isThere := after[name]
		if !isThere {
			removed[name] = old
			continue
		}
		inner, isObject := old.(map[string]any)
		other, isOther := now.(map[string]any)
		if isObject && isOther {
			less, more := changes(inner, other)
			if len(less) > 0 {
				removed[name] = less
			}
			if len(more) > 0 {
				added[name] = more
			}
		} else if !isEqual(old, now) {
			removed[name], added[name] = old, now
		}
	}
	for name, now := range after {
		if _, isThere := before[name]; !isThere {
			added[name] = now
		}
	}
	return removed, added
}

// isEqual compares values of JSON, which are no objects at the top.
func isEqual(a, b any) bool {
	list, isList := a.([]any)
	other, isOther := b.([]any)
	if isList && isOther {
		return slices.EqualFunc(list, other, isEqual)
	}
	members, isObject := a.(map[string]any)
	others, isAlso := b.(map[string]any)
	if isObject && isAlso {
		removed, added := changes(members, others)
		return len(removed) == 0 && len(added) == 0
	}
	// Of these kinds no two can be compared.
	if isList || isOther || isObject || isAlso {
		return false
	}
	return a == b
}
