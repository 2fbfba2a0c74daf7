package tests

import (
	"maps"
	"slices"
)

// inputNames are all that anyone sees of a test's inputs.
func inputNames(inputs map[string]string) []string {
	return orEmpty(slices.Sorted(maps.Keys(inputs)))
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
