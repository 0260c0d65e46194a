package annals

import "context"

// PageQuery says where a list begins, and how many items are fetched at a time.
type PageQuery struct {
	Limit int64
	// Cursor is the NextCursor of another page. By default the list begins at its first one.
	Cursor string
}

func (q PageQuery) query() query {
	var all query
	all.number("limit", q.Limit)
	all.text("cursor", q.Cursor)
	return all
}

// dataOf is the member data of the response.
func dataOf[T any](ctx context.Context, t *transport, c call, options []CallOption) (*T, error) {
	var body struct {
		Data T `json:"data"`
	}
	if err := t.json(ctx, c, &body, options); err != nil {
		return nil, err
	}
	return &body.Data, nil
}

// bodyAs is the body of the response.
func bodyAs[T any](ctx context.Context, t *transport, c call, options []CallOption) (*T, error) {
	var body T
	if err := t.json(ctx, c, &body, options); err != nil {
		return nil, err
	}
	return &body, nil
}
