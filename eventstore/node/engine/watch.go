package engine

import "sync"

// Watch wakes a subscriber when something new can be read. It carries no
// events: the subscriber reads them itself, at its own pace, so that a slow
// one holds nobody up.
type Watch struct {
	// C receives after each new durable event of the watched stream, or of
	// any stream. Several events may be told at once. Read first, then wait:
	// what is recorded after NewWatch returns is never missed.
	C <-chan struct{}

	c      chan struct{}
	stream string
	hub    *hub
}

// hub holds the watches; the zero value is ready.
type hub struct {
	mu      sync.Mutex
	all     map[*Watch]struct{}
	streams map[string]map[*Watch]struct{}
}

// NewWatch watches one stream, or every stream when stream is empty. The
// caller closes it.
func (e *Engine) NewWatch(stream string) *Watch {
	c := make(chan struct{}, 1)
	w := &Watch{C: c, c: c, stream: stream, hub: &e.hub}
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	if stream == "" {
		if e.hub.all == nil {
			e.hub.all = map[*Watch]struct{}{}
		}
		e.hub.all[w] = struct{}{}
		return w
	}
	if e.hub.streams == nil {
		e.hub.streams = map[string]map[*Watch]struct{}{}
	}
	if e.hub.streams[stream] == nil {
		e.hub.streams[stream] = map[*Watch]struct{}{}
	}
	e.hub.streams[stream][w] = struct{}{}
	return w
}

// Close ends the watch; closing twice does nothing.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.all, w)
	if set := w.hub.streams[w.stream]; set != nil {
		delete(set, w)
		if len(set) == 0 {
			delete(w.hub.streams, w.stream)
		}
	}
}

func (w *Watch) wake() {
	select {
	case w.c <- struct{}{}:
	default: // already told, and not yet looked
	}
}

// tell wakes the watches of the changed streams and those of every stream.
func (h *hub) tell(changed map[string]struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.all {
		w.wake()
	}
	if len(h.streams) == 0 {
		return
	}
	for stream := range changed {
		for w := range h.streams[stream] {
			w.wake()
		}
	}
}
