package service

import (
	"context"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/testrun"
)

// Foreseen is what would come of a test that is asked for.
type Foreseen struct {
	// Cast are those who would walk first.
	Cast []Walker
	// Sessions are how many would walk in all, which is what the test costs.
	Sessions int
	Quota    account.Quota
}

// Walker is somebody who would walk, and on which screen.
type Walker struct {
	Persona  persona.Sheet
	Viewport string
}

// Foresee tells who would walk a test with these personas, screens and seed, at most
// so many of them, and what it would cost.
func (s *Service) Foresee(ctx context.Context, p Principal, in NewTest, most int) (Foreseen, error) {
	wanted := testrun.Created{Personas: in.Personas, Viewports: in.Viewports, Sessions: in.Sessions}
	if in.Seed != nil {
		wanted.Seed = *in.Seed
	}
	out := Foreseen{Sessions: in.Sessions}
	var err error
	if wanted.Personas.Source == "custom" {
		if wanted.CustomPersonas, err = s.cast(ctx, p.owner(), wanted.Personas.PersonaIDs); err != nil {
			return out, err
		}
	}
	cast, err := process.NewCast(wanted)
	if err != nil {
		return out, err
	}
	for i := range min(most, in.Sessions) {
		planned := cast.Session(i, domain.Recorded{})
		out.Cast = append(out.Cast, Walker{process.Persona(planned).Sheet(), planned.Viewport})
	}
	out.Quota, err = s.Quota(ctx, p)
	return out, err
}

// Settings are what a test was asked for with; its inputs are names with ciphertexts.
func (s *Service) Settings(ctx context.Context, p Principal, testID string) (testrun.Created, error) {
	// Whose it is decides whether it is there at all.
	if _, err := s.Test(ctx, p, testID); err != nil {
		return testrun.Created{}, err
	}
	state, err := s.Streams.Test(ctx, testID)
	return state.Test, err
}
