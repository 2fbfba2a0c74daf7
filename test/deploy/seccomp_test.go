//go:build linux

package deploy

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/profiles/seccomp"
)

// added is what our profile allows beyond the engine's own: what Chromium's sandbox
// is made with.
var added = []string{"chroot", "clone", "unshare"}

// TestTheProfileIsTheDefaultAndUserNamespaces: seccomp.json is moby's default profile
// with one rule more.
func TestTheProfileIsTheDefaultAndUserNamespaces(t *testing.T) {
	t.Parallel()
	var ours map[string]any
	if err := json.Unmarshal([]byte(profile(t)), &ours); err != nil {
		t.Fatal(err)
	}
	calls, _ := ours["syscalls"].([]any)
	if len(calls) == 0 {
		t.Fatal("the profile has no rules")
	}
	last, err := json.Marshal(calls[len(calls)-1])
	if err != nil {
		t.Fatal(err)
	}
	var rule seccomp.Syscall
	if err := json.Unmarshal(last, &rule); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rule.Names, added) || rule.Action != "SCMP_ACT_ALLOW" || rule.Includes != nil || rule.Excludes != nil || len(rule.Args) != 0 {
		t.Errorf("the added rule: %s", last)
	}
	ours["syscalls"] = calls[:len(calls)-1]
	var theirs map[string]any
	if err := json.Unmarshal([]byte(standard(t)), &theirs); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("the rest is not the default profile (-default +ours):\n%s", diff)
	}
}

// profile is seccomp.json.
func profile(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../seccomp.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// standard is the profile that engines load when they are told none.
func standard(t *testing.T) string {
	t.Helper()
	raw, err := json.Marshal(seccomp.DefaultProfile())
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
