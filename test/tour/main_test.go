// Package tour_test follows the README: it runs the commands of its tour on
// the real program, and holds its tables, samples and pictures against what
// the program says.
package tour_test

import (
	"os"
	"testing"

	"understudy/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
