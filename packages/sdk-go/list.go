package annals

import (
	"context"
	"iter"
)

// List is a list of the interface: it asks for one page after the other while you range over it.
//
//	for event, err := range client.Events.List(annals.ListEventsQuery{}).All(ctx) { … }
type List[Item, Page any] struct {
	ask func(ctx context.Context, cursor string) (*Page, error)
	// of returns the items of a page, and where the next one begins.
	of func(page *Page) ([]Item, string)
}

// All ranges over the items. An error is the last thing that it yields.
func (l List[Item, Page]) All(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for page, err := range l.Pages(ctx) {
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			items, _ := l.of(page)
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages ranges over the pages. An error is the last thing that it yields.
func (l List[Item, Page]) Pages(ctx context.Context) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		for cursor, isFirst := "", true; isFirst || cursor != ""; isFirst = false {
			page, err := l.ask(ctx, cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) {
				return
			}
			_, cursor = l.of(page)
		}
	}
}

// Page returns the first page.
func (l List[Item, Page]) Page(ctx context.Context) (*Page, error) { return l.ask(ctx, "") }

func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
