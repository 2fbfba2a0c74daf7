package main

import (
	"log/slog"
	"testing"
)

// Only the operator does without Chromium's sandbox, in so many words.
func TestTheSandboxIsTheOperatorsToTurnOff(t *testing.T) {
	t.Parallel()
	for value, without := range map[string]bool{"": false, "on": false, "off": true} {
		c, err := readConfig(func(name string) string {
			if name == "UNDERSTUDY_BROWSER_SANDBOX" {
				return value
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		if programs, _ := c.programs("", slog.New(slog.DiscardHandler)); programs.NoSandbox != without { // what is missing is no matter here
			t.Errorf("%q: without is %v", value, programs.NoSandbox)
		}
	}
}
