package main

import (
	"encoding/json"
	"reflect"
)

// known is a value whose type has every member that the service sent.
func known[T any](value T, err error) T {
	must(value, err)
	raw := reflect.Indirect(reflect.ValueOf(value)).FieldByName("Raw")
	check(raw.IsValid(), value)
	var sent, shown any
	done(json.Unmarshal(raw.Bytes(), &sent))
	done(json.Unmarshal(must(json.Marshal(value)), &shown))
	check(len(missing("", sent, shown)) == 0, missing("", sent, shown))
	return value
}

// missing names the members of a value that another lacks. An empty one may be left out.
func missing(path string, sent, shown any) []string {
	var all []string
	switch sent := sent.(type) {
	case map[string]any:
		members, _ := shown.(map[string]any)
		for name, value := range sent {
			if _, isThere := members[name]; !isThere && !isEmpty(value) {
				all = append(all, path+"."+name)
			} else if isThere {
				all = append(all, missing(path+"."+name, value, members[name])...)
			}
		}
	case []any:
		values, _ := shown.([]any)
		for index, value := range sent {
			if index < len(values) {
				all = append(all, missing(path+"[]", value, values[index])...)
			}
		}
	default:
		// A filter has one value or several, which the types have as a list.
		isListed := reflect.DeepEqual([]any{sent}, shown)
		if !reflect.DeepEqual(sent, shown) && !isEmpty(sent) && !isListed {
			all = append(all, path)
		}
	}
	return all
}

func isEmpty(value any) bool {
	return value == nil || value == "" || value == false || value == 0.0
}
