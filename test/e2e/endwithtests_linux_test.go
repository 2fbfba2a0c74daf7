package e2e

import (
	"os/exec"
	"syscall"
)

// endWithTests has the kernel end the service when the tests die, at a
// time-out for instance, without having stopped it.
func endWithTests(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
