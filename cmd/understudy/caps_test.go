package main

import "testing"

func TestCapsAreReadAndTold(t *testing.T) {
	t.Parallel()
	c, err := capSettings("tests=7, streams=9")
	if err != nil || c.Tests != 7 || c.streams != 9 || c.Webhooks != defaultCaps().Webhooks {
		t.Errorf("%+v, %v", c, err)
	}
	if again, err := capSettings(capsText(c)); err != nil || again != c {
		t.Errorf("%s was read as %+v: %v", capsText(c), again, err)
	}
	for _, text := range []string{"tests=0", "tests", "tests=many", "pages=3", "tests=-1", "tests=2000000000"} {
		if _, err := capSettings(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
