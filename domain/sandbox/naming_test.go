package sandbox

import (
	"testing"

	"understudy/domain/task"
)

func TestPagesAreNamedInTheWordsOfTheTask(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{
		"Sign up for the newsletter":      "Subscribe",
		"Subscribe to the newsletter":     "Subscribe",
		"Create a new account":            "Sign up",
		"Find out what shipping costs":    "Shipping costs",
		"Accept the terms and conditions": "Accept terms",
		"Buy two red lamps":               "Red lamps",
		"Buy it":                          "Buy",
		"Add a vase to the cart":          "Vase",
		"request a demo":                  "Request a demo",
		"Repot a cactus":                  "Repot cactus",
	} {
		if got := naming(&task.Parse(what, nil).Subgoals[0]); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}
