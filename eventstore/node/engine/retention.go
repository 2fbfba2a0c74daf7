package engine

import (
	"encoding/json"
	"math"
	"strings"
	"time"
)

// softDeleted is the $tb of a deleted stream: every event is before it.
const softDeleted = int64(math.MaxInt64)

const metaPrefix = "$$"

// retention is what a stream's metadata says about which of its events are
// still to be read. The zero value keeps everything.
type retention struct {
	maxCount       int64
	maxAge         time.Duration
	truncateBefore int64
}

// metaRetention: of a metadata stream only the newest event counts.
var metaRetention = retention{maxCount: 1}

// parseRetention reads $maxCount, $maxAge (seconds) and $tb. What it cannot
// read limits nothing: metadata is the caller's document and must never hide
// events by mistake.
func parseRetention(doc []byte) retention {
	var m map[string]json.RawMessage
	if json.Unmarshal(doc, &m) != nil {
		return retention{}
	}
	whole := func(name string) int64 {
		var n int64
		if json.Unmarshal(m[name], &n) != nil || n < 0 {
			return 0
		}
		return n
	}
	age := min(whole("$maxAge"), int64(math.MaxInt64/time.Second))
	return retention{
		maxCount:       whole("$maxCount"),
		maxAge:         time.Duration(age) * time.Second,
		truncateBefore: whole("$tb"),
	}
}

func (r retention) deleted() bool { return r.truncateBefore == softDeleted }

// first is the lowest revision to be read of a stream that ends at last.
func (r retention) first(last int64) int64 {
	first := r.truncateBefore
	if r.maxCount > 0 {
		first = max(first, last-r.maxCount+1)
	}
	return max(first, 0)
}

// recreated is the metadata document doc with $tb set to the revision at
// which a soft-deleted stream begins anew. ok is false when doc is no JSON
// object.
func recreated(doc []byte, from int64) (next []byte, ok bool) {
	m := map[string]json.RawMessage{}
	if json.Unmarshal(doc, &m) != nil || m == nil {
		return nil, false
	}
	tb, err := json.Marshal(from)
	if err != nil {
		return nil, false
	}
	m["$tb"] = tb
	next, err = json.Marshal(m)
	return next, err == nil
}

// described is the stream that a metadata stream describes.
func described(stream string) (of string, isMeta bool) {
	return strings.CutPrefix(stream, metaPrefix)
}
