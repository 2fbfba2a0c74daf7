package walk

import "testing"

func TestQuotesDoNotNest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                      "“plain”",
		"Results for “mug”":          "“Results for ‘mug’”",
		`say "yes" or ("no")`:        "“say ‘yes’ or (‘no’)”",
		"Suche nach „Tasse“ beginnt": "“Suche nach ‘Tasse’ beginnt”",
		"«ici» et là":                "“‘ici’ et là”",
		"it's":                       "“it's”",
		"Home » Shoes »":             "“Home › Shoes ›”",
		"":                           "“”",
	} {
		if got := Quote(text); got != want {
			t.Errorf("%s is quoted as %s, want %s", text, got, want)
		}
	}
}
