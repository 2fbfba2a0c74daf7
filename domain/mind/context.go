package mind

import "math"

// commitShare is what is left of the scent of labels that begin a deed when
// only something is to be found out: an assumption.
const commitShare = 0.4

// commits: the label begins a deed that the goal does not ask for.
func commits(s *Subgoal, w *words) bool {
	for _, c := range w.concepts {
		switch c {
		case "signup", "trial", "buy", "addcart", "checkout", "login", "donate", "book", "demo", "cancel", "delete", "freeze", "unsubscribe", "logout", "renew", "download":
			if s.Verb != c && !asks(s, c) {
				return true
			}
		}
	}
	return false
}

// gistShare is how much of the scent of the text beside a link counts: an
// assumption, calibrated on our test pages.
const gistShare = 0.6

// gist is the text that explains a link: the short block that begins right
// below it or beside it, as in lists of terms and of results.
func (v *view) gist(e *Element) string {
	text, gap := "", 40.0 // px
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if !t.InViewport || t.Kind == "heading" || len(t.Text) > 200 || math.Abs(t.Box.X-e.Box.X) > 80 {
			continue
		}
		if d := t.Box.Y - (e.Box.Y + e.Box.H); d > -4 && d < gap {
			text, gap = t.Text, d
		}
	}
	// Another link that begins before the text has the better claim to it.
	for i := range v.page.Elements {
		o := &v.page.Elements[i]
		if d := o.Box.Y - (e.Box.Y + e.Box.H); o.Role == "link" && d > -4 && d < gap+4 && math.Abs(o.Box.X-e.Box.X) < 80 {
			return ""
		}
	}
	return text
}

// textAbove is the nearest text above or to the left of an element.
func (v *view) textAbove(e *Element) string {
	const near = 80 // px; further up it belongs to something else
	text, gap := "", math.Inf(1)
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if d := e.Box.Y + e.Box.H - t.Box.Y - t.Box.H; d > -4 && d < near && d < gap {
			text, gap = t.Text, d
		}
	}
	return text
}
