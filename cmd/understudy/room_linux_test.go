package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"understudy/domain"
)

// TestEachDiskThatDataIsKeptOnHasAReserve: pictures and the events of the embedded store
// may be on disks of their own, and the fullest decides.
func TestEachDiskThatDataIsKeptOnHasAReserve(t *testing.T) {
	data, elsewhere := t.TempDir(), t.TempDir()
	cfg := config{dataDir: data, auditDir: filepath.Join(data, "audit"), blobURL: "file://" + filepath.ToSlash(elsewhere)}
	const reserve = 32 << 20
	if free, err := freeOn(data); err != nil || free < 2*reserve {
		t.Skipf("%d bytes are free here: %v", free, err)
	}
	for name, dir := range map[string]string{"pictures": elsewhere, "events": filepath.Join(data, "events"), "Postgres": filepath.Join(data, "postgres")} {
		var log bytes.Buffer
		disks := &room{dirs: cfg.volumes(), reserve: reserve, log: slog.New(slog.NewTextHandler(&log, nil))}
		if err := disks.Room(); err != nil {
			t.Errorf("%s: refused with room on every disk: %v", name, err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m,mode=0700"); err != nil {
			t.Skipf("no small disk can be made: %v", err)
		}
		disks.at = disks.at.Add(-2 * lookEvery)
		err := disks.Room()
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Fatal(err)
		}
		if domain.CodeOf(err) != domain.CodeUnavailable || !strings.Contains(log.String(), "dir="+dir) {
			t.Errorf("%s: %v with 24 MB in all, and the log says %s", name, err, log.String())
		}
		disks.at = disks.at.Add(-2 * lookEvery)
		if err := disks.Room(); err != nil {
			t.Errorf("%s: refused with room on every disk again: %v", name, err)
		}
	}
}
