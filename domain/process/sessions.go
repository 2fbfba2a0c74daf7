// Package process says what follows from an event: commands to other streams.
// It is pure and the only package of the domain that knows every stream.
package process

import (
	"strconv"

	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// Cast plans the sessions of a test: who walks, on which screen, from which
// seed. The same test always gives the same cast.
type Cast struct {
	test     testrun.Created
	personas []persona.Persona
}

// NewCast draws the personas of a test.
func NewCast(test testrun.Created) (Cast, error) {
	seed := uint64(test.Seed)
	c := Cast{test: test}
	switch test.Personas.Source {
	case "auto-diverse":
		c.personas = persona.AutoDiverse(seed, test.Sessions)
	case "pack":
		pack, ok := persona.FindPack(test.Personas.PackID)
		if !ok {
			return c, domain.Invalid("personas.pack_id", "unknown", "there is no persona pack %q; GET /personas/packs lists them", test.Personas.PackID)
		}
		c.personas = persona.FromPack(pack, seed, test.Sessions)
	case "custom":
		own := test.CustomPersonas
		if len(own) == 0 {
			return c, domain.Invalid("personas.persona_ids", "required", "a test with custom personas needs at least one; GET /personas lists yours")
		}
		for i := range test.Sessions { // in turn; a later round of the same persona differs by its session's seed
			c.personas = append(c.personas, own[i%len(own)])
		}
	default:
		return c, domain.Invalid("personas.source", "enum", "source %q is unknown; use auto-diverse, pack or custom", test.Personas.Source)
	}
	return c, nil
}

// Session is the plan of the index-th session. created is when and by which
// event the test was created: ids follow from it.
func (c Cast) Session(index int, created domain.Recorded) session.Queued {
	t := c.test
	return session.Queued{
		SessionID: SessionID(created, index), TestID: t.TestID,
		OrganizationID: t.OrganizationID, Environment: t.Environment,
		Index:    index,
		Persona:  c.personas[index],
		Viewport: t.Viewports[index%len(t.Viewports)],
		Seed:     int64(mix(uint64(t.Seed)+uint64(index)*0x9e3779b97f4a7c15) >> 11),
		Model:    t.Model,
		At:       domain.At(created.Time),
	}
}

// Persona is who walks a session, with what was recorded of them.
func Persona(q session.Queued) persona.Persona {
	p := q.Persona
	p.Facets = p.Facets.WithDefaults()
	return p
}

// SessionID is the id of a test's index-th session.
func SessionID(created domain.Recorded, index int) string {
	return domain.DeriveID(domain.PrefixSession, created.Time, created.ID.String(), strconv.Itoa(index))
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014): neighbours
// in, strangers out.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// QueueSession is the command that makes the index-th session, because of the
// event that started the test.
func (c Cast) QueueSession(index int, created, because domain.Recorded) domain.Envelope {
	q := c.Session(index, created)
	return envelope(because, session.Stream(q.SessionID), "queue", session.Queue{Session: q})
}

// CancelSession is the command that ends the index-th session, because of the
// event that ended the test.
func (c Cast) CancelSession(index int, created, because domain.Recorded) domain.Envelope {
	q := c.Session(index, created)
	return envelope(because, session.Stream(q.SessionID), "cancel", session.Cancel{Session: q, Now: domain.At(because.Time)})
}

// envelope addresses a command. Its id follows from the cause, the target and
// the command, so that a redelivered cause repeats the same command.
func envelope(because domain.Recorded, stream, command string, c any) domain.Envelope {
	return domain.Envelope{
		ID:      domain.DeriveUUID(because.ID.String(), stream, command),
		Stream:  stream,
		Command: c,
		Meta:    domain.CausedBy(because, "process"),
	}
}
