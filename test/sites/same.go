package sites

import (
	"bytes"

	"github.com/PuerkitoBio/goquery"
)

// landmarks hold too much to be said to be the element inside them.
const landmarks = "html, body, main, header, footer, nav, aside, form, section, article"

// Same reports whether a CSS selector addresses, on the served faulty page, the
// element that this fault is at, something inside it, or a box around it that is
// no landmark. It is false for faults of whole pages that leave no element, for
// pages without the fault and for selectors that are none.
func (f Fault) Same(page []byte, selector string) bool {
	group, err := compile(selector)
	if err != nil {
		return false
	}
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		return false
	}
	faulty, named := doc.Find(f.marked()), doc.FindMatcher(group)
	if faulty.Length() == 0 && f.Selector != "" {
		faulty = doc.Find(f.Selector)
	}
	same := false
	named.Each(func(_ int, n *goquery.Selection) {
		faulty.Each(func(_ int, e *goquery.Selection) {
			inside := e.Contains(n.Nodes[0])
			around := n.Contains(e.Nodes[0]) && !n.Is(landmarks)
			same = same || n.Nodes[0] == e.Nodes[0] || inside || around
		})
	})
	return same
}
