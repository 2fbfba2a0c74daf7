package httpapi

import (
	"bytes"
	_ "embed" // the report as Markdown
	"fmt"
	"strings"
	"text/template"
)

//go:embed report.md.tmpl
var reportMarkdown string

var markdownTemplate = template.Must(template.New("markdown").Funcs(template.FuncMap{
	"md": markdown, "percent": percent, "words": plain, "seconds": span, "bare": bare,
	"margin": marginWords, "basis": basisWords,
}).Parse(reportMarkdown))

// markdownOf writes a report as Markdown (CommonMark with GitHub's tables).
func markdownOf(r reportOf) ([]byte, error) {
	var out bytes.Buffer
	view := viewOf(r, noPictures)
	if err := markdownTemplate.Execute(&out, view); err != nil {
		return nil, fmt.Errorf("report %s as Markdown: %w", r.Report.ID, err)
	}
	return out.Bytes(), nil
}

// active are the characters that mean something to Markdown inside a line; the
// others do only where a line begins, which no foreign text does here.
const active = "\\`*_{}[]<>()#|~&!$@"

// markdown writes foreign text, of pages or customers, so that it is shown as it
// is: on one line, and nothing in it is markup, a link or an address.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case strings.ContainsRune(active, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ':': // an address with a scheme would become a link
			b.WriteString("&#58;")
		case r < ' ' || r == 0x7f: // left out
		default:
			b.WriteRune(r)
		}
	}
	return strings.NewReplacer("www.", "www&#46;", "WWW.", "WWW&#46;").Replace(b.String())
}
