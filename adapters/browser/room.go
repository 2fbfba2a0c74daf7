package browser

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// browserUsers are the accounts, the first that there is, that Chromium and its
// driver run as where this process is root: Chromium refuses its sandbox to root,
// and what shows foreign pages has no business with the service's data. Set-up
// makes the first.
var browserUsers = []string{"understudy-browser", "nobody"}

// pipeScript bounds what the driver is told by Chromium.
//
//go:embed driver/pipe.js
var pipeScript []byte

// room is where the programs of one engine live: a directory with a home, a
// directory for temporary files and one for downloads, which belong to whom they
// run as, and the programs as these may start them.
type room struct {
	dir, home, temp, downloads string
	node, driver               string
}

func makeRoom(cfg Config) (r *room, err error) {
	who, err := browserUser()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(cfg.TempDir, "b")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the browser: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("make a directory for the browser: %w", err), os.RemoveAll(dir))
		}
	}()
	r = &room{driver: cfg.DriverDir, dir: dir}
	for name, path := range map[string]*string{"home": &r.home, "tmp": &r.temp, "downloads": &r.downloads} {
		*path = filepath.Join(r.dir, name)
		if err := os.Mkdir(*path, 0o700); err != nil {
			return nil, err
		}
		if who != nil {
			if err := os.Chown(*path, who.uid, who.gid); err != nil {
				return nil, err
			}
		}
	}
	return r, r.furnish(cfg, who)
}

// furnish puts into a room a node that starts with nothing of our environment that
// the driver does not need; where it starts as another account also the driver, if
// that lies behind a directory that is closed to others.
func (r *room) furnish(cfg Config, who *account) error {
	start := []string{"exec", "env", "-i"}
	for _, pair := range environment(r) {
		start = append(start, quoted(pair))
	}
	if who != nil {
		if err := os.Chmod(r.dir, 0o711); err != nil { //nolint:gosec // others pass through, and see nothing
			return err
		}
		if !open(filepath.Join(cfg.DriverDir, "package", "cli.js")) {
			r.driver = filepath.Join(r.dir, "driver")
			if err := os.CopyFS(r.driver, os.DirFS(cfg.DriverDir)); err != nil {
				return err
			}
		}
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			return &MissingError{Program: "setpriv", Remedy: "install the Debian package util-linux"}
		}
		start = append(start, quoted(setpriv), "--reuid="+strconv.Itoa(who.uid), "--regid="+strconv.Itoa(who.gid), "--clear-groups", "--no-new-privs")
	}
	pipe := filepath.Join(r.dir, "pipe.js")
	if err := os.WriteFile(pipe, pipeScript, 0o644); err != nil { //nolint:gosec // the driver's account reads it
		return err
	}
	start = append(start, quoted(cfg.NodePath), "--require", quoted(pipe))
	r.node = filepath.Join(r.dir, "node")
	script := "#!/bin/sh\n" + strings.Join(start, " ") + " \"$@\"\n"
	return os.WriteFile(r.node, []byte(script), 0o755) //nolint:gosec // the driver's account starts it
}

// quoted is a word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// open: others may read a file and pass all directories above it.
func open(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o004 == 0 {
		return false
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if info, err = os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// environment is what the browser needs of our environment. The rest holds the
// service's own secrets and is not for processes that run foreign scripts.
func environment(r *room) []string {
	out := []string{"HOME=" + r.home, "TMPDIR=" + r.temp}
	for _, key := range []string{"PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE"} {
		if value, ok := os.LookupEnv(key); ok {
			out = append(out, key+"="+value)
		}
	}
	return out
}

// account is whom programs run as.
type account struct{ uid, gid int }

// browserUser is the account that the browser runs as, nil for our own.
func browserUser() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range browserUsers {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &account{uid, gid}, nil
	}
	return nil, fmt.Errorf("none of the users %s exists, and the browser is not run as root: make one with  useradd --system %s",
		strings.Join(browserUsers, ", "), browserUsers[0])
}
