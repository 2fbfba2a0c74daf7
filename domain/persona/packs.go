package persona

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"understudy/domain"
)

// Pack is a curated collection of archetypes.
type Pack struct {
	ID string `json:"id"`
	// Slug is the pack's readable name, which is accepted wherever its id is.
	Slug        string    `json:"slug"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Personas    []Persona `json:"personas"`
}

// Packs lists the packs that ship with Understudy, each a fresh copy.
func Packs() []Pack {
	out := make([]Pack, 0, len(packSpecs))
	for _, s := range packSpecs {
		p := Pack{
			ID:   domain.DeriveID(domain.PrefixPack, epoch, "pack", s.slug),
			Slug: s.slug, Name: s.name, Description: s.description,
		}
		for _, a := range s.archetypes {
			f := a.facets.WithDefaults()
			p.Personas = append(p.Personas, Persona{
				ID:   domain.DeriveID(domain.PrefixPersona, epoch, "pack", s.slug, a.name),
				Name: a.name, Summary: a.summary, Facets: f,
			})
		}
		out = append(out, p)
	}
	return out
}

// FindPack finds a pack by id or slug.
func FindPack(idOrSlug string) (Pack, bool) {
	for _, p := range Packs() {
		if p.ID == idOrSlug || p.Slug == idOrSlug {
			return p, true
		}
	}
	return Pack{}, false
}

// FromPack draws n personas from a pack, all archetypes equally often and in
// an order that the seed decides. Each draw after an archetype's first varies
// reading, typing and patience by up to 12 %, so that a big test does not walk
// the same user twice. A pack without personas gives none.
func FromPack(pack Pack, seed uint64, n int) []Persona {
	if n < 1 || len(pack.Personas) == 0 {
		return nil
	}
	order := slices.Clone(pack.Personas)
	rng := rand.New(rand.NewPCG(seed, 0x7061636b))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	out := make([]Persona, n)
	for i := range out {
		p := order[i%len(order)]
		if round := i / len(order); round > 0 {
			vary := func() float64 { return 0.88 + 0.24*rng.Float64() }
			p.Facets.ReadingWPM = clampInt(float64(p.Facets.ReadingWPM)*vary(), 60, 450)
			p.Facets.TypingWPM = clampInt(float64(p.Facets.TypingWPM)*vary(), 8, 150)
			p.Facets.Patience = round2(min(5, max(0.2, p.Facets.Patience*vary())))
			p.ID = domain.DeriveID(domain.PrefixPersona, epoch, p.ID, strconv.FormatUint(seed, 10), strconv.Itoa(round))
		}
		out[i] = p
	}
	return out
}

func clampInt(v float64, low, high int) int { return min(high, max(low, int(v))) }

func round2(v float64) float64 { return round(v, 2) }
