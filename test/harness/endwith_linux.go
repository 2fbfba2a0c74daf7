package harness

import (
	"os/exec"
	"syscall"
)

// endWithUs has the kernel end a program when this one dies without having
// stopped it, at a time-out for instance.
func endWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
