package sites

import (
	"container/list"
	"maps"
	"sync"
)

// maxVisits bounds how many visits a site remembers; the one that was longest
// without a change is forgotten first. It covers the largest test, 10,000
// sessions, with room for its retries.
const maxVisits = 16384

// visit is what a site knows of one session cookie: the goals it has reached
// and the site's own data (a basket, a half-made booking).
type visit[T any] struct {
	id    string
	goals map[string]bool
	data  T
}

func (v *visit[T]) reach(goal string) { v.goals[goal] = true }

// memory holds the visits of a site. It is safe for concurrent use.
type memory[T any] struct {
	mu    sync.Mutex
	limit int
	order *list.List // of *visit[T], latest change first
	byID  map[string]*list.Element
}

func newMemory[T any](limit int) *memory[T] {
	return &memory[T]{limit: limit, order: list.New(), byID: map[string]*list.Element{}}
}

// change calls f with the visit, a new one when it is unknown. The visit must
// not be used after f has returned.
func (m *memory[T]) change(id string, f func(*visit[T])) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byID[id]
	if ok {
		m.order.MoveToFront(e)
	} else {
		e = m.order.PushFront(&visit[T]{id: id, goals: map[string]bool{}})
		m.byID[id] = e
		if m.order.Len() > m.limit {
			last := m.order.Back()
			delete(m.byID, m.order.Remove(last).(*visit[T]).id)
		}
	}
	f(e.Value.(*visit[T]))
}

// look calls f with the visit, an empty one when it is unknown, which is then
// not remembered: mere reading costs no memory.
func (m *memory[T]) look(id string, f func(*visit[T])) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.byID[id]; ok {
		f(e.Value.(*visit[T]))
		return
	}
	f(&visit[T]{id: id, goals: map[string]bool{}})
}

// reach notes a goal of a visit.
func (m *memory[T]) reach(id, goal string) {
	m.change(id, func(v *visit[T]) { v.reach(goal) })
}

// truth copies the goals of every visit that has changed anything.
func (m *memory[T]) truth() map[string]map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]map[string]bool, len(m.byID))
	for id, e := range m.byID {
		out[id] = maps.Clone(e.Value.(*visit[T]).goals)
	}
	return out
}
