package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/eventstore/node/certtest"
)

func TestAttachmentSettings(t *testing.T) {
	t.Parallel()
	files, err := certtest.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(secret, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{
		"UNDERSTUDY_NODE_LISTEN": "127.0.0.1:0", "UNDERSTUDY_NODE_CERT": files.Cert, "UNDERSTUDY_NODE_KEY": files.Key,
		"UNDERSTUDY_READER_PASSWORD_FILE": secret,
	}
	with := func(changes ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(changes); i += 2 {
				if changes[i] == name {
					return changes[i+1]
				}
			}
			return whole[name]
		}
	}
	c, err := readConfig(with())
	if err != nil {
		t.Fatal(err)
	}
	if a := c.attach; a == nil || a.Address != "127.0.0.1:0" || a.TLS == nil || len(a.Users) != 1 ||
		a.Users[0].Name != "reader" || a.Users[0].Password != "from-a-file" || !a.Users[0].ReadOnly {
		t.Errorf("clients attach by %+v", a)
	}
	if c, err := readConfig(with("UNDERSTUDY_NODE_LISTEN", "")); err != nil || c.attach != nil {
		t.Errorf("without an address clients attach by %+v, %v", c.attach, err)
	}
	for name, changes := range map[string][]string{
		"UNDERSTUDY_NODE_LISTEN":     {"UNDERSTUDY_NODE_LISTEN", "here"},
		"UNDERSTUDY_EVENTSTORE":      {"UNDERSTUDY_EVENTSTORE", "esdb://localhost:2113"},
		"UNDERSTUDY_NODE_CERT":       {"UNDERSTUDY_NODE_CERT", ""},
		"UNDERSTUDY_NODE_KEY":        {"UNDERSTUDY_NODE_KEY", files.Cert},
		"UNDERSTUDY_READER_PASSWORD": {"UNDERSTUDY_READER_PASSWORD_FILE", ""},
		"shorter than 8":             {"UNDERSTUDY_READER_PASSWORD_FILE", "", "UNDERSTUDY_READER_PASSWORD", "geheim"},
		"twice":                      {"UNDERSTUDY_READER_PASSWORD", "geheim-geheim"},
	} {
		if _, err := readConfig(with(changes...)); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
