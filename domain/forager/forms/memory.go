package forms

import (
	"slices"

	"understudy/domain/task"
)

// memory is what was done with one field.
type memory struct {
	stood        string   // the message that stood there before anything was entered
	tries, steps int      // of entering, and of pressing towards a value
	wants, waits int      // for it to come into view, and for what lies over it to go
	tried        []string // entered, in order
	error        string   // stood there before
	sent         int      // how often its form had been sent then
	idle         int      // presses towards a value in a row that changed nothing
	opened       bool
	made         bool // what was entered is made up
}

// text is what was entered last, "" for nothing.
func (m *memory) text() string {
	if len(m.tried) == 0 {
		return ""
	}
	return m.tried[len(m.tried)-1]
}

// history is what was done with one form.
type history struct {
	sent  int
	dirty bool // something was entered since it was sent
	goes  bool // its button said that it goes on after this
	finds bool // its button only finds what the deed is done with
	back  bool // the server answered with a page of its own and sent nobody on, as it does with what it refuses
	// previews is how often it was shown what would be sent.
	previews int
}

// spent: it was sent, and nothing was entered since.
func (h *history) spent() bool { return h.sent > 0 && !h.dirty }

// errand is how far one subgoal is.
type errand struct {
	entered map[int]bool
	places  map[int]string  // the field that a value went into
	took    map[string]bool // what fields took that hold more than one thing
	form    string          // that it works on
	acts    int
	touched bool // something was done, or stood there already
	sent    bool
	over    bool // nothing is left to do, unless the form complains
	stuck   bool
	open    *opened
}

// opened is a list or calendar that came up, or is to come up, for a field.
type opened struct {
	move  Move // that opened it
	waits int
	short int // how often less was typed
}

// of is what is remembered of something, from now on.
func of[K comparable, V any](all map[K]*V, key K) *V {
	if all[key] == nil {
		all[key] = new(V)
	}
	return all[key]
}

func (c *Clerk) memory(key string) *memory { return of(c.fields, key) }

func (c *Clerk) history(f *form) *history { return of(c.forms, f.key) }

// unknown: nothing was entered into any field of a form, so that it is another one than was
// sent from its place.
func (c *Clerk) unknown(f *form) bool {
	return !slices.ContainsFunc(f.fields, func(o *field) bool { return c.memory(o.key).tries > 0 })
}

// anew forgets what was done with a form that was sent for another errand and stands
// there again, as an empty one does.
func (c *Clerk) anew(f *form, e *errand) {
	if e.touched || !c.history(f).spent() {
		return
	}
	delete(c.forms, f.key)
	for _, o := range f.fields {
		delete(c.fields, o.key)
	}
}

func (c *Clerk) errand(s *task.Subgoal) *errand {
	e := of(c.errands, s)
	if e.entered == nil {
		e.entered, e.places, e.took = map[int]bool{}, map[int]string{}, map[string]bool{}
	}
	return e
}

// stand takes in that values are in a field, "" for one that may change.
func (e *errand) stand(values []int, field string) {
	for _, v := range values {
		e.entered[v], e.places[v] = true, field
	}
}
