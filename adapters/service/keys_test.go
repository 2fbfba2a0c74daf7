package service

import (
	"fmt"
	"testing"

	"understudy/projections/accounts"
)

func TestKeyCacheForgetsWhenAccountsHaveMoved(t *testing.T) {
	t.Parallel()
	c := newKeyCache()
	c.put("h", accounts.Key{ID: "key_1"}, 7)
	if k, ok := c.get("h", 7); !ok || k.ID != "key_1" {
		t.Errorf("at the same position: %+v, %t", k, ok)
	}
	if _, ok := c.get("h", 8); ok {
		t.Error("a key of an older position was found")
	}
	c.put("other", accounts.Key{ID: "key_2"}, 8)
	c.put("h", accounts.Key{ID: "stale"}, 7) // looked up before, late
	if _, ok := c.get("h", 8); ok {
		t.Error("a key of an older position was kept")
	}
	for i := range 3 * maxCachedKeys {
		c.put(fmt.Sprint(i), accounts.Key{}, 8)
	}
	if len(c.keys) > maxCachedKeys {
		t.Errorf("%d keys are kept", len(c.keys))
	}
}
