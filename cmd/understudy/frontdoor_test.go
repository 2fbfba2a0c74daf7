package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheKeyGoesToNobodyElseAtTheAddress: while the service of the data directory does not
// run, what else listens at its address is not asked with its key.
func TestTheKeyGoesToNobodyElseAtTheAddress(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "events"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, keysFile), []byte(`{"live":"svc_live_x","test":"svc_test_x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UNDERSTUDY_DATA_DIR", dir)
	t.Setenv("UNDERSTUDY_LISTEN", strings.TrimPrefix(other.URL, "http://"))
	if local := runningLocal(t.Context()); local != nil || asked {
		t.Errorf("it was asked: %t, and taken for %+v", asked, local)
	}
}
