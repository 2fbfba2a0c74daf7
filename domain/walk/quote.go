package walk

import (
	"strings"
	"unicode"
)

// Quote puts quotation marks around foreign text; those within become single.
func Quote(text string) string { return "“" + Single(text) + "”" }

// Single is a text that is to stand between quotation marks: its own ones are
// single.
func Single(text string) string {
	var b strings.Builder
	german, before := false, ' '
	for i, r := range text {
		opens := unicode.IsSpace(before) || strings.ContainsRune("([{‘", before)
		switch {
		case r == '„':
			german = true
			b.WriteRune('‘')
		case r == '«', r == '“' && !german, r == '"' && opens:
			b.WriteRune('‘')
		case r == '»' && opens && !strings.Contains(text[i:], "«"):
			b.WriteRune('›') // it points on, as in "Home » Shoes"
		case strings.ContainsRune("“”»\"", r):
			german = false
			b.WriteRune('’')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}
