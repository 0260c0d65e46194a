package main

import (
	"fmt"
	"io"
	"strings"

	annals "github.com/OWNER/annals/packages/sdk-go"
)

// Bounds of what is printed: characters of an id, and gaps.
const (
	printedID   = 120
	printedGaps = 20
)

// tellProducers prints a line for each producer. It returns 1 if a number is missing.
func tellProducers(check *annals.LinesCheck, out io.Writer) int {
	code := 0
	for _, producer := range check.Producers {
		fmt.Fprintln(out, "  producer ", textOf(producer))
		if len(producer.Missing) > 0 {
			code = 1
		}
	}
	if len(check.Producers) == 0 {
		fmt.Fprintln(out, "  producer  no event has a number of a producer")
	}
	if check.HasMoreProducers {
		fmt.Fprintln(out, "  producer  there are more than can be checked")
		code = 1
	}
	return code
}

func textOf(p annals.ProducerCheck) string {
	id := p.ID
	if runes := []rune(id); len(runes) > printedID {
		id = string(runes[:printedID]) + "…"
	}
	text := fmt.Sprintf("%q, %d events, numbers %d to %d: %s", id, p.Events, p.First, p.Last, missing(p))
	if p.Twice > 0 {
		text += fmt.Sprintf("; numbers that appear twice: %d", p.Twice)
	}
	if p.Dropped > 0 {
		text += fmt.Sprintf("; it says that it dropped %d events", p.Dropped)
	}
	return text
}

func missing(p annals.ProducerCheck) string {
	if len(p.Missing) == 0 {
		return "none is missing"
	}
	var count int64
	var gaps []string
	for _, gap := range p.Missing {
		count += gap.To - gap.From + 1
		if len(gaps) == printedGaps {
			continue
		}
		if gap.From == gap.To {
			gaps = append(gaps, fmt.Sprint(gap.From))
		} else {
			gaps = append(gaps, fmt.Sprintf("%d-%d", gap.From, gap.To))
		}
	}
	more := ""
	if rest := len(p.Missing) - len(gaps); rest > 0 {
		more = fmt.Sprintf(" and %d more gaps", rest)
	}
	return fmt.Sprintf("%d missing: %s%s", count, strings.Join(gaps, ", "), more)
}
