package persona

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
)

var careful = Draft{Name: "Ada", Facets: Facets{AgeBand: "75+", ReadingWPM: 120, KeyboardOnly: true, Vision: Vision{ContrastFactor: 1.8, MinFont: 14}}}

func TestADraftGetsDefaultsAndASummary(t *testing.T) {
	t.Parallel()
	p := careful.Persona("per_1")
	if p.ID != "per_1" || p.Name != "Ada" || p.Facets != careful.WithDefaults() || p.Facets.TypingWPM == 0 {
		t.Errorf("%+v", p)
	}
	if p.Summary != Summarize(careful.Facets) {
		t.Errorf("without a summary it is %q", p.Summary)
	}
	if errs := careful.Validate(); len(errs) != 0 {
		t.Errorf("refused: %v", errs)
	}
	if errs := (Draft{Facets: Facets{Zoom: 9}}).Validate(); len(errs) != 2 || errs[0].Field != "name" || errs[1].Field != "zoom" {
		t.Errorf("without a name and zoomed nine times: %v", errs)
	}
	told := careful
	told.Summary = "Types with one finger."
	if got := told.Persona("").Summary; got != told.Summary {
		t.Errorf("the summary given became %q", got)
	}
}

func TestMergePatches(t *testing.T) {
	t.Parallel()
	change := func(f func(d *Draft)) Draft {
		d := careful
		f(&d)
		return d
	}
	for patch, want := range map[string]Draft{
		`{}`:                           careful,
		`{"name":"Eve"}`:               change(func(d *Draft) { d.Name = "Eve" }),
		`{"summary":"Slow."}`:          change(func(d *Draft) { d.Summary = "Slow." }),
		`{"summary":null}`:             careful,
		`{"age_band":null,"zoom":2}`:   change(func(d *Draft) { d.AgeBand, d.Zoom = "", 2 }),
		`{"keyboard_only":false}`:      change(func(d *Draft) { d.KeyboardOnly = false }),
		`{"keyboard_only":null}`:       change(func(d *Draft) { d.KeyboardOnly = false }),
		`{"vision":{"min_font":20}}`:   change(func(d *Draft) { d.Vision.MinFont = 20 }),
		`{"vision":{"min_font":null}}`: change(func(d *Draft) { d.Vision.MinFont = 0 }),
		`{"vision":null}`:              change(func(d *Draft) { d.Vision = Vision{} }),
	} {
		if got, err := careful.Merge([]byte(patch)); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", patch, got, err, want)
		}
	}
	if got, err := (Draft{Name: "Ada"}).Merge([]byte(`{"vision":{"min_font":20,"contrast_factor":null}}`)); err != nil || got.Vision != (Vision{MinFont: 20}) {
		t.Errorf("into nothing: %+v, %v", got, err)
	}
	for _, patch := range []string{``, `null`, `[]`, `{"name":5}`, `{"vision":7}`, `{"reading_wpm":200.5}`} {
		if got, err := careful.Merge([]byte(patch)); domain.CodeOf(err) != domain.CodeValidationFailed || got != careful {
			t.Errorf("%s: %+v, %v", patch, got, err)
		}
	}
}

// RFC 7396 for whole documents: a draft's own JSON as the patch of another
// replaces all that it gives, and merging it again changes nothing.
func TestMergingIsIdempotent(t *testing.T) {
	t.Parallel()
	drafts := rapid.Custom(func(t *rapid.T) Draft {
		return Draft{
			Name: rapid.String().Draw(t, "name"), Summary: rapid.String().Draw(t, "summary"),
			Facets: Facets{
				AgeBand: rapid.SampledFrom(append(AgeBands, "")).Draw(t, "age"), ReadingWPM: rapid.IntRange(0, 450).Draw(t, "reading"),
				Patience: rapid.Float64Range(0, 5).Draw(t, "patience"), ScreenReader: rapid.Bool().Draw(t, "screen reader"),
				Vision: Vision{MinFont: rapid.Float64Range(0, 40).Draw(t, "font")},
			},
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		from, to := drafts.Draw(t, "from"), drafts.Draw(t, "to")
		patch, err := json.Marshal(to)
		if err != nil {
			t.Fatal(err)
		}
		once, err := from.Merge(patch)
		if err != nil || once.Name != to.Name || to.Summary != "" && once.Summary != to.Summary || to.Patience != 0 && once.Patience != to.Patience {
			t.Fatalf("%+v after %s: %v", once, patch, err)
		}
		if again, err := once.Merge(patch); err != nil || again != once {
			t.Fatalf("again: %+v, was %+v: %v", again, once, err)
		}
	})
}
