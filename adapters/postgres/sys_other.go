//go:build unix && !linux

package postgres

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// clusterLocale is the one locale that every system has.
const clusterLocale = "C"

// setDeathSignal does nothing: only Linux has such a signal. A server that
// outlives its service is stopped by the service's next start.
func setDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}

// pass names dir itself: the account must be able to enter its parents.
func (a account) pass(_ *exec.Cmd, dir string) (string, *os.File, error) { return dir, nil, nil }

// isPostmaster reports whether process pid is a Postgres server. Which
// directory it works in is not to be had without /proc.
func isPostmaster(pid int, _ string) bool {
	out, err := exec.Command("ps", "-p", strconv.Itoa(pid), "-o", "comm=").Output()
	return err == nil && strings.Contains(string(out), "postgres")
}
