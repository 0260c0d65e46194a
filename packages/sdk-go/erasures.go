package annals

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// erasures are the erased parts of the events so far, in runs, and the records that name them. A record
// counts for events before it, and only if its own metadata is not erased.
type erasures struct {
	runs    []run
	records []run
	parts   int
}

// run is a range of sequence numbers with the same parts.
type run struct {
	first, last int64
	parts       []string
}

// take takes one event. record is its metadata if it is verified, and else nil.
func (e *erasures) take(number int64, erased []string, action any, record map[string]any) {
	e.parts += len(erased)
	if len(erased) > 0 {
		last := len(e.runs) - 1
		if last >= 0 && e.runs[last].last == number-1 && slices.Equal(e.runs[last].parts, erased) {
			e.runs[last].last = number
		} else {
			e.runs = append(e.runs, run{number, number, erased})
		}
	}
	if record == nil || slices.Contains(erased, "metadata") {
		return
	}
	for _, each := range recordedBy(action, record) {
		each.last = min(each.last, number-1)
		e.records = append(e.records, each)
	}
}

// unrecorded counts the erased parts that no later record names.
func (e *erasures) unrecorded() int {
	count := int64(0)
	for _, part := range parts {
		ranges := union(withPart(e.records, part))
		for _, each := range withPart(e.runs, part) {
			count += uncovered(each, ranges)
		}
	}
	return int(count)
}

func withPart(runs []run, part string) []run {
	var found []run
	for _, each := range runs {
		if slices.Contains(each.parts, part) {
			found = append(found, each)
		}
	}
	return found
}

// union has the same numbers in ranges that rise and do not touch.
func union(ranges []run) []run {
	slices.SortFunc(ranges, func(a, b run) int { return int(min(1, max(-1, a.first-b.first))) })
	var merged []run
	for _, each := range ranges {
		last := len(merged) - 1
		if last >= 0 && each.first <= merged[last].last+1 {
			merged[last].last = max(merged[last].last, each.last)
		} else if each.first <= each.last {
			merged = append(merged, each)
		}
	}
	return merged
}

func uncovered(each run, ranges []run) int64 {
	left := each.last - each.first + 1
	at, _ := slices.BinarySearchFunc(ranges, each.first, func(r run, first int64) int {
		if r.last < first {
			return -1
		}
		return 1
	})
	for ; at < len(ranges) && ranges[at].first <= each.last; at++ {
		left -= min(ranges[at].last, each.last) - max(ranges[at].first, each.first) + 1
	}
	return left
}

var rangePattern = regexp.MustCompile(`^([1-9][0-9]{0,15})(?:-([1-9][0-9]{0,15}))?$`)

// recordedBy is what a record names. One with another form names nothing.
func recordedBy(action any, metadata map[string]any) []run {
	if action == "annals.retention" {
		last, isWhole := wholeOf(metadata["through_sequence"])
		if !isWhole {
			return nil
		}
		return []run{{1, last, parts}}
	}
	named := partsOf(metadata["parts"])
	text, _ := metadata["sequence_numbers"].(string)
	if action != "annals.erasure" || named == nil {
		return nil
	}
	var ranges []run
	before := int64(0)
	for _, each := range strings.Split(text, ",") {
		bounds := rangePattern.FindStringSubmatch(each)
		if bounds == nil {
			return nil
		}
		first, _ := strconv.ParseInt(bounds[1], 10, 64)
		last := first
		if bounds[2] != "" {
			last, _ = strconv.ParseInt(bounds[2], 10, 64)
		}
		if before >= first || first > last {
			return nil
		}
		ranges = append(ranges, run{first, last, named})
		before = last
	}
	return ranges
}

// partsOf is a list of some of the parts, each once; nil for anything else.
func partsOf(value any) []string {
	listed, _ := value.([]any)
	var named []string
	for _, each := range listed {
		part, isText := each.(string)
		if !isText || !slices.Contains(parts, part) || slices.Contains(named, part) {
			return nil
		}
		named = append(named, part)
	}
	return named
}
