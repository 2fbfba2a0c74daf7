package persona

import (
	"reflect"
	"testing"

	"understudy/domain"
)

func TestAutoDiverseSpansTheFacetsWithTen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		seen := map[string]map[string]bool{}
		see := func(facet, v string) {
			if seen[facet] == nil {
				seen[facet] = map[string]bool{}
			}
			seen[facet][v] = true
		}
		impaired, pointless := 0, 0
		for _, p := range AutoDiverse(seed, 10) {
			f := p.Facets
			see("age", f.AgeBand)
			see("motivation", f.Motivation)
			see("processing", f.InformationProcessing)
			see("efficacy", f.SelfEfficacy)
			see("risk", f.RiskAttitude)
			see("learning", f.LearningStyle)
			see("domain", f.DomainKnowledge)
			see("language", f.LanguageLevel)
			if f.ScreenReader || f.KeyboardOnly || f.Zoom > 1 || f.Vision.ContrastFactor >= 1.8 || f.MotorPrecision <= 0.3 {
				impaired++
			}
			if f.KeyboardOnly {
				pointless++
			}
			if errs := p.Validate(); len(errs) > 0 {
				t.Fatalf("seed %d: %+v is not valid: %v", seed, p, errs)
			}
		}
		if pointless != 1 {
			t.Errorf("seed %d: %d of 10 have no pointer, not one", seed, pointless)
		}
		least := map[string]int{"age": 5, "motivation": 2, "processing": 2, "efficacy": 3, "risk": 3, "learning": 2, "domain": 3, "language": 3}
		for facet, n := range least {
			if len(seen[facet]) < n {
				t.Errorf("seed %d: %s has only %v", seed, facet, seen[facet])
			}
		}
		if impaired < 2 {
			t.Errorf("seed %d: only %d of 10 meet a barrier of accessibility", seed, impaired)
		}
	}
}

func TestAutoDiverseIsReproducibleAndVaries(t *testing.T) {
	t.Parallel()
	a, b, c := AutoDiverse(5, 200), AutoDiverse(5, 200), AutoDiverse(6, 200)
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed gave other personas")
	}
	if reflect.DeepEqual(a, c) {
		t.Error("another seed gave the same personas")
	}
	ids, names := map[string]bool{}, map[string]bool{}
	for _, p := range AutoDiverse(5, 10000) {
		if !domain.ValidID(domain.PrefixPersona, p.ID) || ids[p.ID] {
			t.Fatalf("id %q is not a new persona id", p.ID)
		}
		ids[p.ID] = true
		names[p.Name] = true
		if p.Summary == "" {
			t.Fatal("a persona without a summary")
		}
	}
	if len(names) < 500 {
		t.Errorf("only %d names among 10,000", len(names))
	}
	if got := AutoDiverse(1, 0); len(got) != 0 {
		t.Errorf("asked for none, got %d", len(got))
	}
}

func TestPacks(t *testing.T) {
	t.Parallel()
	want := []string{"general-consumers", "older-adults", "accessibility", "mobile-first", "busy-professionals", "first-time-visitors", "second-language", "developers"}
	packs := Packs()
	if len(packs) != len(want) {
		t.Fatalf("%d packs, want %d", len(packs), len(want))
	}
	for i, p := range packs {
		if p.Slug != want[i] || !domain.ValidID(domain.PrefixPack, p.ID) || p.Name == "" || p.Description == "" || len(p.Personas) < 5 {
			t.Errorf("pack %d is %+v", i, p)
		}
		for _, q := range p.Personas {
			if errs := q.Validate(); len(errs) > 0 {
				t.Errorf("%s/%s: %v", p.Slug, q.Name, errs)
			}
		}
		for _, key := range []string{p.ID, p.Slug} {
			if got, ok := FindPack(key); !ok || got.ID != p.ID {
				t.Errorf("FindPack(%q) = %v, %v", key, got.ID, ok)
			}
		}
	}
	if _, ok := FindPack("nobody"); ok {
		t.Error("found a pack that does not exist")
	}
}

func TestFromPackUsesEveryArchetypeEqually(t *testing.T) {
	t.Parallel()
	pack, _ := FindPack("developers")
	count := map[string]int{}
	ids := map[string]bool{}
	for _, p := range FromPack(pack, 9, 20) {
		count[p.Name]++
		if ids[p.ID] {
			t.Errorf("id %s twice", p.ID)
		}
		ids[p.ID] = true
		if errs := p.Validate(); len(errs) > 0 {
			t.Errorf("%s: %v", p.Name, errs)
		}
	}
	for name, n := range count {
		if n != 4 {
			t.Errorf("%s was drawn %d times of 20, want 4", name, n)
		}
	}
	if !reflect.DeepEqual(FromPack(pack, 9, 20), FromPack(pack, 9, 20)) {
		t.Error("the same seed drew others")
	}
}

func TestValidateNamesTheField(t *testing.T) {
	t.Parallel()
	p := Persona{Name: " ", Facets: Facets{AgeBand: "old", Patience: 99, Vision: Vision{ContrastFactor: 0.5}, ReadingWPM: -1}}
	var got []string
	for _, e := range p.Validate() {
		got = append(got, e.Field+" "+e.Code)
	}
	want := []string{"name required", "age_band unknown_value", "reading_wpm out_of_range", "patience out_of_range", "vision.contrast_factor out_of_range"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if errs := (Persona{Name: "Ada"}).Validate(); len(errs) != 0 {
		t.Errorf("a name alone is enough: %v", errs)
	}
}

func TestZoomLeavesAPageRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zoom  float64
		width int
		want  float64
	}{{0, 1280, 1}, {2, 1280, 2}, {4, 1280, 4}, {2, 390, 390.0 / 320}, {2, 300, 1}} {
		if got := (Facets{Zoom: c.zoom}).ZoomOn(c.width); got != c.want {
			t.Errorf("zoom %v on %d px is %v, want %v", c.zoom, c.width, got, c.want)
		}
	}
}
