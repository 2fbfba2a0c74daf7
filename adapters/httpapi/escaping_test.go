package httpapi

import (
	"bytes"
	"encoding/xml"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	source "github.com/yuin/goldmark/text"
)

// FuzzForeignText puts any text of a page into the forms of a report: in Markdown it is
// neither markup nor link, in JUnit's XML it ends where it began.
func FuzzForeignText(f *testing.F) {
	for _, seed := range []string{
		"plain", "[a](javascript:b)", "<img src=x onerror=y>", "a | b", "**b** _i_ `c` ~~s~~", "https://e.x www.e.x a@b.cd", "\n# h\n- l\n\n```", "$x$ &lt;",
		"=1+1", "@a", "&commat;a", "-1", "\ttab", "\"q\",\r\n;", "\x00\x1b[31m", "]]>", "\xff\xfe", "\u202e\u2028", "ftp://e.x mailto:a@b.cd", "!\\[x\\](y)", "WwW.e.x",
	} {
		f.Add(seed)
	}
	mention := regexp.MustCompile(`@[\pL\pN]`) // of a person or a team, on GitHub and GitLab
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	f.Fuzz(func(t *testing.T, foreign string) {
		for _, shown := range []string{markdown(foreign), markdownCode(foreign)} {
			line := []byte("It says " + shown + " there.")
			if bytes.ContainsAny(line, "\r\n") {
				t.Errorf("%q is more than a line: %q", foreign, line)
			}
			if !bytes.ContainsRune(line, '`') && mention.MatchString(html.UnescapeString(strings.ReplaceAll(string(line), `\&`, "&amp;"))) {
				t.Errorf("%q calls somebody in %q", foreign, line)
			}
			err := ast.Walk(reader.Parse(source.NewReader(line)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				switch n.Kind() {
				case ast.KindDocument, ast.KindParagraph, ast.KindText, ast.KindString, ast.KindCodeSpan:
				default:
					if entering {
						t.Errorf("%q becomes %s in %q", foreign, n.Kind(), line)
					}
				}
				return ast.WalkContinue, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}

		suites := junitSuites{Name: foreign, Suites: []junitSuite{{Name: foreign, Properties: []junitProperty{{foreign, foreign}}, Cases: []junitCase{
			{ClassName: foreign, Name: foreign, Failure: &junitFailure{Message: foreign, Type: foreign, Text: foreign}}, {Name: "last", Out: foreign},
		}}}}
		written, err := xml.Marshal(suites)
		if err != nil {
			t.Fatal(err)
		}
		var read junitSuites
		if err := xml.Unmarshal(written, &read); err != nil {
			t.Fatalf("%q: %v in %s", foreign, err, written)
		}
		if len(read.Suites) != 1 || len(read.Suites[0].Cases) != 2 || read.Suites[0].Cases[1].Name != "last" || len(read.Suites[0].Properties) != 1 {
			t.Errorf("%q: %s", foreign, written)
		}
	})
}
