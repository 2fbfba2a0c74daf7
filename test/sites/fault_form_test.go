package sites

import (
	"strings"
	"testing"
)

func TestFormsRefuseAndForget(t *testing.T) {
	t.Parallel()
	const right = "name=Ann+Lee&email=ann.lee@example.org&address=1+Quay+Street&city=Whitby&postcode=YO21+3PU&country=IE&delivery=express&terms=yes"
	post := func(t *testing.T, kind, selector, fill string) *walker {
		t.Helper()
		w := newWalker(t, Shop, Options{Faults: []Fault{{Kind: kind, Path: "/checkout", Selector: selector}}})
		if err := w.walk(append(append([]stop{}, ways["shop/order"][:3]...), stop{"/checkout", "", "", ""})); err != nil {
			t.Fatal(err)
		}
		if err := w.send(w.doc.Find("main form"), nil, fill); err != nil {
			t.Fatal(err)
		}
		return w
	}
	kept := func(w *walker) bool {
		return w.doc.Find("#city").AttrOr("value", "") == "Whitby" && w.doc.Find("#country option[selected]").AttrOr("value", "") == "IE" && w.doc.Find("[value=express][checked]").Length() == 1
	}
	t.Run("format_rejected", func(t *testing.T) {
		t.Parallel()
		w := post(t, "format_rejected", "#email", right)
		if w.status != 422 || !kept(w) || words(w.doc.Find("#email-error")) != "Enter a valid email address" || w.doc.Find("#email[aria-invalid]").AttrOr("value", "") != "ann.lee@example.org" {
			t.Errorf("status %d, kept %v, says %q", w.status, kept(w), words(w.doc.Find("#email-error")))
		}
	})
	t.Run("unspecific_error", func(t *testing.T) {
		t.Parallel()
		for _, fill := range []string{right, "name=Ann+Lee&city=Whitby&country=IE&delivery=express"} {
			w := post(t, "unspecific_error", "#email", fill)
			if w.status != 422 || !kept(w) || w.doc.Find(".error, [aria-invalid]").Length() > 0 || !strings.HasPrefix(words(w.doc.Find("main form")), "Something went wrong") {
				t.Errorf("status %d, kept %v, says %q", w.status, kept(w), words(w.doc.Find(".error, .errors")))
			}
		}
	})
	t.Run("input_lost", func(t *testing.T) {
		t.Parallel()
		for _, fill := range []string{right, "name=Ann+Lee&city=Whitby&country=IE&delivery=express"} {
			w := post(t, "input_lost", "#email", fill)
			if w.status != 422 || w.doc.Find("main input[value]:not([value=''], [type=radio], [type=checkbox], [type=hidden])").Length() > 0 || w.doc.Find("main form [checked]").Length() > 0 {
				t.Errorf("status %d, and something is left in the form", w.status)
			}
		}
	})
	t.Run("needless_field", func(t *testing.T) {
		t.Parallel()
		w := post(t, "needless_field", "#national-insurance", right+"&national-insurance=")
		if w.status != 422 || !kept(w) || words(w.doc.Find("#national-insurance-error")) == "" {
			t.Errorf("status %d, kept %v", w.status, kept(w))
		}
	})
	t.Run("forced_account", func(t *testing.T) {
		t.Parallel()
		w := newWalker(t, Docs, Options{Faults: []Fault{{Kind: "forced_account", Path: "/schedule"}}})
		if err := w.ask("GET", "/schedule", "", nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(words(w.doc.Find("main")), "packhorse schedule") || w.doc.Find("#repeat-password").Length() != 1 {
			t.Error("the page can be read without an account")
		}
		if err := w.send(w.doc.Find("main form"), nil, "account-email=ann@example.org&new-password=long-enough&repeat-password=other"); err != nil {
			t.Fatal(err)
		}
		if w.status != 422 {
			t.Errorf("two different passwords are answered with %d", w.status)
		}
	})
	t.Run("server_error", func(t *testing.T) {
		t.Parallel()
		w := newWalker(t, Docs, Options{Faults: []Fault{{Kind: "server_error", Path: "/install", Selector: ".helpful button"}}})
		_ = w.walk(ways["docs/feedback"]) // ends at the error
		if w.status != 500 {
			t.Errorf("the form is answered with %d", w.status)
		}
	})
}
