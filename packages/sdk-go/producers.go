package annals

import (
	"maps"
	"slices"
	"sort"
)

// Bounds of what is kept, whatever a file claims: producers, and gaps of all of them together.
const (
	maxProducers = 10_000
	maxGaps      = 100_000
)

// NumberRange has the numbers from the first to the last one.
type NumberRange struct{ From, To int64 }

// ProducerCheck is what the events of a producer say of their numbers (SpoolOptions.Producer).
type ProducerCheck struct {
	ID          string
	Events      int
	First, Last int64
	// Dropped counts the events that the producer says it has dropped.
	Dropped int64
	// Missing are numbers that no event has: events that were accepted and are not here.
	Missing []NumberRange
	// Twice counts numbers that more than one event has, such as after a machine lost its power.
	Twice int
}

// producerNumbers takes the numbers of events in their order.
type producerNumbers struct {
	checks map[string]*ProducerCheck
	gaps   int
	// isCut: there were more producers or gaps than are kept.
	isCut bool
}

func (p *producerNumbers) take(event map[string]any) {
	producer := membersOf(membersOf(event["context"])["producer"])
	id, hasID := producer["id"].(string)
	n, hasNumber := countOf(producer["n"])
	dropped, hasDropped := countOf(producer["dropped"])
	if !hasID || !hasNumber || !hasDropped {
		return
	}
	check := p.checks[id]
	if check == nil {
		p.begin(ProducerCheck{ID: id, Events: 1, First: n, Last: n, Dropped: dropped})
		return
	}
	check.Events++
	check.Dropped = max(check.Dropped, dropped)
	if n <= check.Last {
		p.fill(check, n)
		return
	}
	// What a killed process may have given last, between after and this number, need not be there.
	to := n - 1
	if after, isGiven := countOf(producer["after"]); isGiven {
		to = min(to, after)
	}
	if to > check.Last {
		p.add(check, NumberRange{check.Last + 1, to})
	}
	check.Last = n
}

func (p *producerNumbers) begin(check ProducerCheck) {
	if len(p.checks) >= maxProducers {
		p.isCut = true
		return
	}
	if p.checks == nil {
		p.checks = map[string]*ProducerCheck{}
	}
	p.checks[check.ID] = &check
}

func (p *producerNumbers) add(check *ProducerCheck, gap NumberRange) {
	if p.gaps >= maxGaps {
		p.isCut = true
		return
	}
	check.Missing = append(check.Missing, gap)
	p.gaps++
}

// fill takes the number of an event that came later than one with a higher number.
func (p *producerNumbers) fill(check *ProducerCheck, n int64) {
	gaps := check.Missing
	at := sort.Search(len(gaps), func(index int) bool { return gaps[index].To >= n })
	if at == len(gaps) || n < gaps[at].From {
		// Before the first one of the file nothing is known.
		if n >= check.First {
			check.Twice++
		}
		return
	}
	from, to := gaps[at].From, gaps[at].To
	switch n {
	case to:
		// A gap that is empty then stays before others: to move many takes long.
		gaps[at].To = n - 1
	case from:
		gaps[at].From = n + 1
	default:
		gaps[at].From = n + 1
		gaps = slices.Insert(gaps, at, NumberRange{from, n - 1})
		p.gaps++
	}
	for len(gaps) > 0 && gaps[len(gaps)-1].isEmpty() {
		gaps = gaps[:len(gaps)-1]
		p.gaps--
	}
	check.Missing = gaps
}

func (r NumberRange) isEmpty() bool { return r.From > r.To }

// result has them by their ids.
func (p *producerNumbers) result() []ProducerCheck {
	var all []ProducerCheck
	for _, id := range slices.Sorted(maps.Keys(p.checks)) {
		check := *p.checks[id]
		check.Missing = slices.DeleteFunc(check.Missing, NumberRange.isEmpty)
		all = append(all, check)
	}
	return all
}
