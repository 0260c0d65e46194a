package annals

import (
	"encoding/json"
	"iter"
)

// maxFaults is how many faults are named.
const maxFaults = 100

// ProvenPage is a page of a list with Include: "proof", as the service sent it.
type ProvenPage interface{ rawPage() json.RawMessage }

func (p *EventPage) rawPage() json.RawMessage       { return p.Raw }
func (p *WidgetEventPage) rawPage() json.RawMessage { return p.Raw }

// EventFault is an event that differs from its proof, or whose link does.
type EventFault struct {
	ID             string
	SequenceNumber int64
	Check          EventCheck
	Link           State
}

// EventsCheck is what VerifyEvents found.
type EventsCheck struct {
	// State is Unchecked if an event came without its proof, or if there was none at all.
	State        State
	Events       int
	LinksChecked int
	// LinksUnchecked counts the links to events that are not among them: a filter or the beginning of a
	// range left them out.
	LinksUnchecked int
	// ErasedParts counts the parts that were erased. Nothing but their digests is left to verify.
	ErasedParts int
	// ErasuresUnchecked counts the erased parts that no later record annals.erasure among the events names:
	// a filter or the end of a range left it out, or the chain has no such record.
	ErasuresUnchecked int
	// Faults are the first 100 events that differ, or whose link does.
	Faults []EventFault
}

// VerifyEvents recomputes the hashes of listed events from their proofs, without trust in the service. It
// never finds verified what it did not check.
//
//	query := annals.ListEventsQuery{Order: "asc", Include: "proof", Limit: 1000}
//	check, err := annals.VerifyEvents(client.Events.List(query).Pages(ctx))
func VerifyEvents[Page ProvenPage](pages iter.Seq2[Page, error]) (*EventsCheck, error) {
	var verifier eventsVerifier
	for page, err := range pages {
		if err != nil {
			return nil, err
		}
		if err := verifier.take(page.rawPage()); err != nil {
			return nil, err
		}
	}
	return verifier.result(), nil
}

// eventsVerifier takes pages, and says at the end what is verified.
type eventsVerifier struct {
	found            EventsCheck
	unproven, faulty int
	erasures         erasures
	before           []map[string]any
}

func (v *eventsVerifier) take(raw json.RawMessage) error {
	var page struct {
		Data   []map[string]any `json:"data"`
		Proofs []map[string]any `json:"proofs"`
	}
	if err := exactly(raw, &page); err != nil {
		return err
	}
	links := v.linksOf(page.Data)
	for index, event := range page.Data {
		// Lists return the proofs next to the events; elsewhere the proof is a member of the event.
		proof := membersOf(event["proof"])
		if index < len(page.Proofs) {
			proof = page.Proofs[index]
		}
		check := checkEvent(event, proof)
		v.found.Events++
		v.takeErasures(event, check)
		if check.State == Unchecked {
			v.unproven++
		}
		if check.State != Differs && links[index] != Differs {
			continue
		}
		v.faulty++
		if len(v.found.Faults) < maxFaults {
			id, _ := event["id"].(string)
			number, _ := sequenceOf(event)
			v.found.Faults = append(v.found.Faults, EventFault{id, number, check, links[index]})
		}
	}
	if len(page.Data) > 0 {
		v.before = page.Data[len(page.Data)-1:]
	}
	return nil
}

// takeErasures: only a record that is what the chain has hashed says what was erased.
func (v *eventsVerifier) takeErasures(event map[string]any, check EventCheck) {
	var record map[string]any
	if check.State == Verified && check.Parts["metadata"] == Verified {
		record = membersOf(event["metadata"])
	}
	number, _ := sequenceOf(event)
	v.erasures.take(number, erasedOf(event), event["action"], record)
}

// linksOf are the links of a page. In descending order, the last event before it links into it.
func (v *eventsVerifier) linksOf(data []map[string]any) []State {
	all := append(append([]map[string]any{}, v.before...), data...)
	links := checkLinks(all)
	if len(v.before) > 0 {
		across := links[0]
		links = links[1:]
		if len(data) > 0 && isBefore(data[0], v.before[0]) {
			// Counted as unchecked with its own page.
			v.found.LinksUnchecked--
			v.found.LinksChecked++
			// Shown with the event that it leads to, whose page this is.
			if across == Differs {
				links[0] = Differs
			}
		}
	}
	for _, link := range links {
		if link == Unchecked {
			v.found.LinksUnchecked++
		} else {
			v.found.LinksChecked++
		}
	}
	return links
}

func isBefore(event, next map[string]any) bool {
	number, isNumber := sequenceOf(event)
	following, isNext := sequenceOf(next)
	return isNumber && isNext && following == number+1
}

func (v *eventsVerifier) result() *EventsCheck {
	found := v.found
	found.ErasedParts, found.ErasuresUnchecked = v.erasures.parts, v.erasures.unrecorded()
	switch {
	case v.faulty > 0:
		found.State = Differs
	case v.unproven > 0 || found.Events == 0:
		found.State = Unchecked
	default:
		found.State = Verified
	}
	return &found
}
