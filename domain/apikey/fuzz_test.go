package apikey_test

import (
	"bytes"
	"testing"

	"understudy/domain"
	"understudy/domain/apikey"
)

// FuzzKeys: a key is one only with its own checksum.
func FuzzKeys(f *testing.F) {
	f.Add(apikey.NewKey(domain.Live, bytes.Repeat([]byte{1}, 64)), 20)
	f.Add(apikey.NewKey(domain.Sandbox, bytes.Repeat([]byte{2}, 64)), 12)
	f.Add("svc_live_", 0)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if _, ok := apikey.KeyEnvironment(text); !ok || at < len(apikey.LivePrefix) || at >= len(text) {
			return
		}
		other := []byte(text)
		if other[at] = 'A'; text[at] == 'A' {
			other[at] = 'B'
		}
		if _, ok := apikey.KeyEnvironment(string(other)); ok {
			t.Errorf("%q passes beside %q", other, text)
		}
	})
}
