// Package tour_test follows the README: it runs the commands of its tour on
// the real program, and holds its tables, samples and pictures against what
// the program says.
package tour_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// root is the top of the checkout.
const root = "../.."

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tour-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system clears its temporary directory too
	binary = filepath.Join(dir, "understudy")
	if out, err := exec.Command("go", "build", "-o", binary, "understudy/cmd/understudy").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
