package annals

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// query is what follows the question mark, in order.
type query []string

func (q *query) text(name, value string) {
	if value != "" {
		*q = append(*q, name+"="+escape(value))
	}
}

func (q *query) number(name string, value int64) {
	if value != 0 {
		q.text(name, strconv.FormatInt(value, 10))
	}
}

// texts adds a parameter for each value. No value of a filter selects nothing: without the parameter it
// would select everything.
func (q *query) texts(name string, values Strings) {
	if values != nil && len(values) == 0 {
		values = Strings{""}
	}
	for _, value := range values {
		*q = append(*q, name+"="+escape(value))
	}
}

// named adds parameters with the names that they bring, in the order of these.
func (q *query) named(values map[string]Strings) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		q.texts(escape(name), values[name])
	}
}

func (q query) String() string {
	if len(q) == 0 {
		return ""
	}
	return "?" + strings.Join(q, "&")
}

// escape writes a space as %20: a service cannot tell a plus sign from one that was left as it is.
func escape(value string) string {
	return strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}

var errNoID = errors.New("annals: an id is missing")

// pathOf fills in the ids, each as one step: an id with a slash in it reaches no other route.
func (c call) pathOf() (string, error) {
	path := c.path
	for _, id := range c.ids {
		if id == "" || id == "." || id == ".." {
			return "", errNoID
		}
		path = strings.Replace(path, "{}", url.PathEscape(id), 1)
	}
	return path, nil
}

// tileWidth is the number of hashes of a whole tile.
const tileWidth = 256

// tileIndex writes digits in groups of three, of which only the last has no x: x001/x234/067, or 000.p/5.
func tileIndex(index int64, width int) string {
	digits := strconv.FormatInt(index, 10)
	for len(digits)%3 != 0 {
		digits = "0" + digits
	}
	var groups []string
	for at := 0; at < len(digits); at += 3 {
		group := digits[at : at+3]
		if at+3 < len(digits) {
			group = "x" + group
		}
		groups = append(groups, group)
	}
	path := strings.Join(groups, "/")
	if width == 0 || width == tileWidth {
		return path
	}
	return path + ".p/" + strconv.Itoa(width)
}
