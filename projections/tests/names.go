package tests

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// hashed is a text, whatever its spaces and capitals, as tests are found by it; "" for none.
func hashed(text string) string {
	words := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if words == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(words))
	return hex.EncodeToString(sum[:16])
}

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
