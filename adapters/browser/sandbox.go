package browser

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// ErrNoSandbox says that Chromium cannot shut its renderers in on this machine, and is
// not started without (see Config.NoSandbox).
var ErrNoSandbox = errors.New("Chromium has no sandbox here, and pages of others are not opened without: " + //nolint:staticcheck // a name begins it
	"allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; " +
	"in a container start it with the seccomp profile of the repository, --security-opt seccomp=seccomp.json), or set UNDERSTUDY_BROWSER_SANDBOX=off where only your own pages are tested")

// noSandbox are Chromium's words for it.
const noSandbox = "No usable sandbox"

// CheckSandbox says whether Chromium will have its sandbox: nil, ErrNoSandbox, or why
// that could not be seen. Where user namespaces are to be had it takes milliseconds,
// else Chromium is started to see.
func (c Config) CheckSandbox(ctx context.Context) error {
	if c.NoSandbox || runtime.GOOS != "linux" {
		return nil
	}
	who, err := browserUser()
	if err != nil {
		return err
	}
	probe := exec.CommandContext(ctx, "unshare", "--user", "--pid", "--net", "--fork", "true")
	if who != nil {
		probe.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(who.uid), Gid: uint32(who.gid)}} //nolint:gosec // of the system's table of users
	}
	if probe.Run() == nil {
		return nil
	}
	b := New(c)
	if _, err = b.acquire(ctx); err != nil {
		_ = b.Close() // what hinders the start is what there is to say
		return err
	}
	return b.Close()
}

// sandboxed turns a failure to start into ErrNoSandbox where that is why.
func sandboxed(err error) error {
	if err != nil && strings.Contains(err.Error(), noSandbox) {
		return ErrNoSandbox
	}
	return err
}
