// Package tour_test follows the documents: it runs the commands of docs/tour.md
// on the real program, and holds what it, the README and the table of settings
// show against what the program says.
package tour_test

import (
	"os"
	"testing"

	"understudy/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
