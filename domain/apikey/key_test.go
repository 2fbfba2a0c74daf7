package apikey_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/apikey"
)

var layout = regexp.MustCompile(`^svc_(live|test)_[0-9A-Za-z]{36}$`)

// digits62 writes a checksum the way a secret scanner would: six base62
// digits, 0–9 then A–Z then a–z, leading zeros kept.
func digits62(n uint32) string {
	swapped := strings.Map(func(r rune) rune { // math/big has the small letters first
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, new(big.Int).SetUint64(uint64(n)).Text(62))
	return fmt.Sprintf("%06s", swapped)
}

func TestKeysAreWellFormed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		env := rapid.SampledFrom([]domain.Environment{domain.Live, domain.Sandbox}).Draw(t, "environment")
		entropy := rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "entropy")
		usable := 0
		for _, b := range entropy {
			if b < 248 {
				usable++
			}
		}
		key := apikey.NewKey(env, entropy)
		if (key == "") != (usable < 30) {
			t.Fatalf("%q of %d usable bytes", key, usable)
		}
		if key == "" {
			return
		}
		if !layout.MatchString(key) || !strings.HasPrefix(key, "svc_"+string(env)+"_") {
			t.Fatalf("%q has another layout", key)
		}
		if want := digits62(crc32.ChecksumIEEE([]byte(key[:len(key)-6]))); key[len(key)-6:] != want {
			t.Fatalf("%q ends in another checksum than %s", key, want)
		}
		if got, ok := apikey.KeyEnvironment(key); !ok || got != env {
			t.Fatalf("%q is of %q, %t", key, got, ok)
		}
		// A typing error anywhere is noticed without a look-up.
		i := rapid.IntRange(0, len(key)-1).Draw(t, "mistyped")
		other := rapid.RuneFrom([]rune("09AZaz_- ")).Draw(t, "as")
		mistyped := key[:i] + string(other) + key[i+1:]
		if _, ok := apikey.KeyEnvironment(mistyped); ok && mistyped != key {
			t.Fatalf("%q passes", mistyped)
		}
	})
}

func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	key := apikey.NewKey(domain.Live, []byte(strings.Repeat("Under6tudy", 7)))
	odd := "svc_live_" + "a" + strings.Repeat("é", 14) + "a"
	for _, bad := range []string{
		"", "svc_live_", key[:len(key)-1], key + "0", "Bearer " + key, strings.ToLower(key), strings.ToUpper(key),
		"svc_prod_" + key[len("svc_live_"):], "svc_test_" + key[len("svc_live_"):], " " + key, key + "\n",
		odd + digits62(crc32.ChecksumIEEE([]byte(odd))),
	} {
		if env, ok := apikey.KeyEnvironment(bad); ok {
			t.Errorf("%q is taken for a key of %s", bad, env)
		}
	}
}

// 248 is four times 62: higher bytes would make eight characters likelier.
func TestKeysFavourNoCharacter(t *testing.T) {
	t.Parallel()
	plain := strings.Repeat("Under6tudy", 6)
	for b := 248; b <= 255; b++ {
		favouring := strings.Repeat(string([]byte{byte(b)}), 4) + plain
		if apikey.NewKey(domain.Live, []byte(favouring)) != apikey.NewKey(domain.Live, []byte(plain)) {
			t.Errorf("byte %d makes a character", b)
		}
	}
	if apikey.NewKey(domain.Live, []byte("\xf7"+plain)) == apikey.NewKey(domain.Live, []byte(plain)) {
		t.Error("byte 247 makes none")
	}
}

func TestKeysAreStoredAsHash(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("svc_live_x"))
	if got := apikey.HashKey("svc_live_x"); got != hex.EncodeToString(sum[:]) {
		t.Errorf("%s is not the SHA-256", got)
	}
}
