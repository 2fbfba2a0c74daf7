package reading

import "testing"

func TestEmpty(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Nothing was found.":                       true,
		"No results":                               true,
		"0 results for “boatman”":                  true,
		"Your search did not match any documents.": true,
		"No matching pages found":                  true,
		"Keine Treffer":                            true,
		"12 results":                               false,
		"10 results for “no”":                      false,
		"There is no charge for members":           false,
		"Nothing but the best for your garden":     false,
		"We have no pages left in the book, sorry": true,
	} {
		if got := Empty(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
