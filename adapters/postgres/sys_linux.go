package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// clusterLocale is always there with glibc and musl, and knows Unicode.
const clusterLocale = "C.UTF-8"

// setDeathSignal has the kernel send sig when the forking thread ends.
func setDeathSignal(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

// pass gives cmd a way to a directory that this process can reach and the
// account perhaps cannot, because a parent (/root, a data directory of mode
// 0700) is closed to it: an open descriptor, named through /proc, whose
// resolution does not walk the parents. It returns the path to use inside cmd.
func (a account) pass(cmd *exec.Cmd, dir string) (string, *os.File, error) {
	if !a.drop {
		return dir, nil, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	return fmt.Sprintf("/proc/self/fd/%d", 2+len(cmd.ExtraFiles)), f, nil // 0–2 are the standard ones
}

// isPostmaster reports whether process pid is a live Postgres server working
// in dir. Where /proc hides the working directory (a container without
// CAP_SYS_PTRACE) its name has to do.
func isPostmaster(pid int, dir string) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// pid (name) state …; a name may hold spaces and brackets.
	open, closing := bytes.IndexByte(stat, '('), bytes.LastIndex(stat, []byte(") "))
	if open < 0 || closing < open || closing+2 >= len(stat) {
		return false
	}
	name, state := string(stat[open+1:closing]), stat[closing+2]
	if state == 'Z' || state == 'X' { // ended, not yet reaped
		return false
	}
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if errors.Is(err, fs.ErrPermission) {
		return name == "postgres" || name == "postmaster"
	}
	here, errHere := os.Stat(dir)
	return err == nil && errHere == nil && os.SameFile(cwd, here)
}
