package dashboard

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

// field is a field of a document, as it was and as it is.
type field struct{ Name, Then, Now string }

// sideBySide holds two documents against each other, field by field. now is nil for
// what is there no longer.
func sideBySide(then, now json.RawMessage) (changed, same []field, err error) {
	before, err := flat(then)
	if err != nil {
		return nil, nil, err
	}
	after := map[string]string{}
	if now != nil {
		if after, err = flat(now); err != nil {
			return nil, nil, err
		}
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := before[name], after[name]
		if was == is {
			same = append(same, field{name, was, is})
		} else {
			changed = append(changed, field{name, was, is})
		}
	}
	return changed, same, nil
}

// flat are the fields of a document by their paths. An empty list or object is one; what is
// null is not there.
func flat(doc json.RawMessage) (map[string]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	out := map[string]string{}
	flatten("", tree, out)
	return out, nil
}

func flatten(path string, node any, out map[string]string) {
	below := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch node := node.(type) {
	case map[string]any:
		for name, value := range node {
			flatten(below(name), value, out)
		}
		if len(node) == 0 && path != "" {
			out[path] = "{}"
		}
	case []any:
		for i, value := range node {
			flatten(below(strconv.Itoa(i+1)), value, out)
		}
		if len(node) == 0 {
			out[path] = "[]"
		}
	case string:
		out[path] = node
	case json.Number:
		out[path] = number(node)
	case bool:
		out[path] = strconv.FormatBool(node)
	}
}

// number is a number as people read it, with four decimals at most.
func number(n json.Number) string {
	value, err := n.Float64()
	if err != nil || value == float64(int64(value)) {
		return n.String()
	}
	return strconv.FormatFloat(math.Round(value*1e4)/1e4, 'f', -1, 64)
}
