package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/adapters/browser"
)

// crowd is a page of about n nodes as shops and tools have them: a bar of links,
// a form, rows of a table, and cards that react to clicks.
func crowd(n int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><title>Crowd</title><style>.card{display:inline-block;width:220px;border:1px solid #ccc}" +
		".go{background:#06c;color:#fff;padding:6px 10px}td{padding:4px}</style><nav>")
	for i := range 10 {
		fmt.Fprintf(&b, "<a href='/n/%d'>Section %d</a> ", i, i)
	}
	b.WriteString("</nav><form><label>Name <input name=name></label><label>Kind <select><option>A<option>B</select></label><button class=go>Send</button></form><table><tr><th>Name<th>Price<th>")
	for i := range n / 20 {
		fmt.Fprintf(&b, "<tr><td>Thing %d<td>%d €<td><a href='/t/%d'>Open</a><button>Delete</button>", i, i, i)
	}
	b.WriteString("</table><div>")
	for i := range n / 20 {
		fmt.Fprintf(&b, "<div class=card><h3>Card %d</h3><p>Some <b>words</b> about it</p><svg width=10 height=10><path d='M0 0h9v9z'/></svg><a class=go href='/c/%d'>Buy</a><span>New</span></div>", i, i)
	}
	b.WriteString("</div><script>for(const c of document.querySelectorAll('.card'))c.addEventListener('click',()=>{})</script>")
	return b.String()
}

// BenchmarkLook tells what one look costs on pages of some sizes.
func BenchmarkLook(b *testing.B) {
	for _, nodes := range []int{400, 5000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			s, err := shared.Open(b.Context(), browser.SessionOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if _, err := s.Goto(b.Context(), fmt.Sprintf("%s/crowd?%d", site.URL, nodes)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Look(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
