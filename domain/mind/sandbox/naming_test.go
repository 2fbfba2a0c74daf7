package sandbox

import (
	"testing"

	"understudy/domain/mind"
)

func TestPagesAreNamedInTheWordsOfTheTask(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"Sign up for the newsletter":                "Subscribe newsletter",
		"Sign up as a new user":                     "Sign up",
		"Create a new account":                      "Sign up",
		"Find out what shipping costs":              "Shipping costs",
		"Accept the terms and conditions":           "Accept terms conditions",
		"Buy two red lamps and have them sent home": "Buy red lamps",
	} {
		if got := naming(&mind.ParseTask(task, nil).Subgoals[0]); got != want {
			t.Errorf("%s: %q, want %q", task, got, want)
		}
	}
}
