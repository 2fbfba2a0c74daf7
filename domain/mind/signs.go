package mind

import (
	"net/url"
	"strings"
)

// refused: the page shows validation errors.
func refused(page *Page, sees func(*Text) bool) bool {
	for i := range page.Elements {
		if page.Elements[i].Error != "" {
			return true
		}
	}
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "alert" && sees(t) && errorText.MatchString(t.Text) {
			return true
		}
	}
	return false
}

// accepted: the page's own server took a request that changes something.
func accepted(eff *Effect, pageURL string) bool {
	for _, r := range eff.Requests {
		switch r.Method {
		case "POST", "PUT", "PATCH", "DELETE":
		default:
			continue
		}
		if r.Status >= 200 && r.Status < 400 && (r.Kind == "document" || r.Kind == "xhr" || r.Kind == "fetch") &&
			!beacon.MatchString(r.URL) && (host(r.URL) == host(pageURL) || host(r.URL) == host(eff.URL)) {
			return true
		}
	}
	return false
}

func pageWords(page *Page, sees func(*Text) bool) string {
	var b strings.Builder
	for i := range page.Texts {
		if t := &page.Texts[i]; sees(t) && b.Len() < 1200 {
			b.WriteString(t.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func hasPassword(page *Page) bool {
	for i := range page.Elements {
		if page.Elements[i].InputType == "password" {
			return true
		}
	}
	return false
}

func hasControl(page *Page, concept string) bool {
	for i := range page.Elements {
		e := &page.Elements[i]
		if len(e.Name) < 30 && (e.Role == "link" || e.Role == "button" || e.Role == "menuitem") {
			w := tokens(e.Name)
			if len(w) > 0 && len(w) <= 3 && has(conceptsIn(w), concept) {
				return true
			}
		}
	}
	return false
}

func containsAny(s string, list []string) bool {
	for _, l := range list {
		if l != "" && strings.Contains(s, l) {
			return true
		}
	}
	return false
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "; " + b
}

func host(raw string) string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

func path(raw string) string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		rest = raw
	}
	rest, _, _ = strings.Cut(rest, "?")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}

func query(raw string) string {
	_, q, _ := strings.Cut(raw, "?")
	q, _, _ = strings.Cut(q, "#")
	if d, err := url.QueryUnescape(q); err == nil {
		return d
	}
	return q
}
