package streamhub

import (
	"context"
	"errors"
	"net/http"
	"time"

	"understudy/projections/timeline"
)

// readyTimeout bounds the wait until the reader follows a test.
const readyTimeout = 3 * readTimeout

// ServeStream upgrades the request and sends the test's messages after a
// position, 0 for all of them, until the last one, which is followed by a
// close with 1000. A slow reader is closed with 1013, everybody with 1001 when
// the service goes down; both resume with ?after=<position>. It refuses with
// domain.CodeUnavailable when the hub is full or going down, and with
// domain.CodeTooManyAtOnce when the organization has its share of it.
func (h *Hub) ServeStream(w http.ResponseWriter, r *http.Request, organizationID, testID string, after uint64) error {
	return h.serve(w, r, organizationID, "the test has ended", func(c *connection) error {
		s := &subscription{hub: h, connection: c, testID: testID, position: int64(after)} //nolint:gosec // positions fit
		if s.position == 0 {
			s.position = -1
		}
		return s.stream()
	})
}

// subscription is one connection's way through the messages of a test.
type subscription struct {
	hub *Hub
	*connection
	testID   string
	position int64 // of the last message sent
}

// stream returns nil after the test's last message.
func (s *subscription) stream() error {
	// Most of the history before joining: a test that is over needs no feed.
	if ended, err := s.history(); err != nil || ended {
		return err
	}
	f, at := s.hub.join(s.testID)
	defer s.hub.leave(f)
	late := time.NewTimer(readyTimeout)
	defer late.Stop()
	select {
	case <-f.ready:
	case <-late.C:
		return errors.New("the read model did not answer")
	case <-s.leave.Done():
		return context.Cause(s.leave)
	}
	if ended, err := s.history(); err != nil || ended {
		return err
	}
	for {
		select {
		case <-at.filled:
		case <-s.leave.Done():
			return context.Cause(s.leave)
		}
		if err := s.live(f, at); err != nil || at.ended {
			return err
		}
		at = at.next
	}
}

// live sends the messages of a slot, without those that came as history.
func (s *subscription) live(f *feed, at *slot) error {
	for i, m := range at.messages {
		if int64(m.position) <= s.position {
			continue
		}
		if f.told.Load()-at.before-uint64(i) > behind {
			return errTooSlow
		}
		if err := s.send(m.frame, m.position); err != nil {
			return err
		}
	}
	return nil
}

func (s *subscription) send(f frame, position uint64) error {
	if err := s.write(f); err != nil {
		return err
	}
	s.position = int64(position) //nolint:gosec // positions fit
	return nil
}

// history sends what is recorded after the position and tells whether the
// test's last message is among it, or was the one at the position.
func (s *subscription) history() (ended bool, err error) {
	for {
		if s.leave.Err() != nil {
			return false, context.Cause(s.leave)
		}
		messages, ended, err := s.page()
		if err != nil {
			return false, err
		}
		for _, m := range messages {
			if err := s.send(framed(s.hub.Address(m)), m.Position); err != nil {
				return false, err
			}
		}
		if ended || len(messages) < page {
			return ended, nil
		}
	}
}

// page reads one page of history and whether it is the last of the test.
func (s *subscription) page() (messages []timeline.Stored, ended bool, err error) {
	select {
	case s.hub.reading <- struct{}{}:
		defer func() { <-s.hub.reading }()
	case <-s.leave.Done():
		return nil, false, context.Cause(s.leave)
	}
	ctx, cancel := context.WithTimeout(s.leave, readTimeout)
	defer cancel()
	messages, err = s.hub.Timeline.After(ctx, s.testID, s.position, page)
	if err != nil {
		return nil, false, err
	}
	reached, ask := max(s.position, 0), len(messages) == 0 // it may resume after the very last message
	for _, m := range messages {
		reached, ask = int64(m.Position), ask || timeline.MayEnd(m.Type) //nolint:gosec // positions fit
	}
	if !ask {
		return messages, false, nil
	}
	over, err := s.hub.Timeline.Ended(ctx, []string{s.testID}, uint64(reached))
	return messages, len(over) > 0, err
}
