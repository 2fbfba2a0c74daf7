package domaintest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
)

// Began is when the first event of Streams is recorded; each later one is a
// second later.
var Began = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// Streams are streams in memory that carry out commands by their real deciders,
// each command once. The zero value has no deciders; Serve adds them.
type Streams struct {
	mu       sync.Mutex
	log      []domain.Recorded
	carried  map[uuid.UUID]bool
	deciders map[string]func(history []domain.Event, command any) ([]domain.Event, error)
}

// Serve gives the streams of a prefix their decider.
func Serve[S, C any, E domain.Event](s *Streams, prefix string, d domain.Decider[S, C, E]) {
	if s.deciders == nil {
		s.carried = map[uuid.UUID]bool{}
		s.deciders = map[string]func([]domain.Event, any) ([]domain.Event, error){}
	}
	s.deciders[prefix] = func(history []domain.Event, command any) (out []domain.Event, err error) {
		state := d.Initial
		for _, e := range history {
			state = d.Evolve(state, e.(E))
		}
		events, err := d.Decide(state, command.(C))
		for _, e := range events {
			out = append(out, e)
		}
		return out, err
	}
}

// Given records events as they are.
func (s *Streams) Given(stream string, events ...domain.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(stream, domain.Meta{}, events)
}

func (s *Streams) record(stream string, meta domain.Meta, events []domain.Event) {
	for _, e := range events {
		n := uint64(len(s.log))
		s.log = append(s.log, domain.Recorded{
			ID: domain.DeriveUUID("event", fmt.Sprint(n)), Stream: stream, Revision: uint64(len(s.events(stream))), Position: n + 1,
			Time: Began.Add(time.Duration(n) * time.Second), Event: e, Meta: meta,
		})
	}
}

// Execute carries out a command, unless it was, and answers with the end of the
// log.
func (s *Streams) Execute(_ context.Context, e domain.Envelope) (position uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	prefix, _, _ := strings.Cut(e.Stream, "-")
	decide := s.deciders[prefix+"-"]
	if decide == nil {
		return 0, fmt.Errorf("nobody decides for %s", e.Stream)
	}
	if !s.carried[e.ID] {
		var history []domain.Event
		for _, r := range s.events(e.Stream) {
			history = append(history, r.Event)
		}
		events, err := decide(history, e.Command)
		if err != nil {
			return 0, err
		}
		s.carried[e.ID] = true
		s.record(e.Stream, e.Meta, events)
	}
	return uint64(len(s.log)), nil
}

// Events are those of a stream, oldest first.
func (s *Streams) Events(stream string) []domain.Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events(stream)
}

func (s *Streams) events(stream string) (of []domain.Recorded) {
	for _, r := range s.log {
		if r.Stream == stream {
			of = append(of, r)
		}
	}
	return of
}
