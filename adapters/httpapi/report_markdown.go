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

var markdownTemplate = template.Must(template.New("markdown").Funcs(words).Funcs(template.FuncMap{
	"md": markdown, "code": markdownCode, "inc": func(i int) int { return i + 1 },
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
const active = "\\`*_[]<#|~&$"

// unlinked keeps what looks like an address from becoming a link, and a name behind
// "@" from calling its owner where Markdown is posted: a word joiner stands between.
var unlinked = strings.NewReplacer("://", "&#58;//", "www.", "www&#46;", "WWW.", "WWW&#46;", "@", "&#64;&#8288;")

// markdown writes foreign text, of pages or customers, so that it is shown as it
// is: on one line, and nothing in it is markup or a link.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case strings.ContainsRune(active, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f: // left out
		default:
			b.WriteRune(r)
		}
	}
	return unlinked.Replace(b.String())
}

// markdownCode writes an address or a selector as code, where it can be.
func markdownCode(text string) string {
	if text == "" || strings.ContainsAny(text, "`|\n\r") {
		return markdown(text)
	}
	return "`" + text + "`"
}
