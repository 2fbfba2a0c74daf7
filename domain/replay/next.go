package replay

import (
	"cmp"
	"slices"

	"understudy/domain/findings"
)

// Bounds of what is examined (assumptions: a third barrier of one walk, and a sixth of
// a test, has hardly ever been the reason of anything).
const (
	// Most is how many replays a test has at most.
	Most = 5
	// suspectsEach is how many barriers of one session are suspected at most.
	suspectsEach = 2
)

// Trial is a cause to be examined, and the index of the session that is to walk again
// without it. The cause's selector is that of the session's own page.
type Trial struct {
	Cause   findings.Cause
	Session int
}

// Next is the replay that tells most about why sessions fell short, given what came of
// those that were made: the cause that is the foremost of most of the sessions nobody
// can explain yet. The session that has fewest other reasons walks. Each cause is
// examined once. The same arguments give the same trial.
func Next(sessions []findings.Session, made []findings.Cause) (Trial, bool) {
	if len(made) >= Most {
		return Trial{}, false
	}
	type candidate struct {
		Trial
		sessions, others int
	}
	var all []candidate
	for i := range sessions {
		every, suspects := barriers(&sessions[i])
		if slices.ContainsFunc(every, func(c findings.Cause) bool {
			return slices.ContainsFunc(made, func(m findings.Cause) bool { return m.Proven && m.Is(c) })
		}) {
			continue
		}
		first := slices.IndexFunc(suspects, func(c findings.Cause) bool { return !slices.ContainsFunc(made, c.Is) })
		if first < 0 {
			continue
		}
		own := candidate{Trial{suspects[first], i}, 1, len(every)}
		at := slices.IndexFunc(all, func(c candidate) bool { return c.Cause.Is(own.Cause) })
		if at < 0 {
			all = append(all, own)
			continue
		}
		own.sessions = all[at].sessions + 1
		if own.others >= all[at].others {
			own.Trial, own.others = all[at].Trial, all[at].others
		}
		all[at] = own
	}
	if len(all) == 0 {
		return Trial{}, false
	}
	// Of equals the one that the first session has.
	return slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(b.sessions, a.sessions) }).Trial, true
}

// Suspected counts the different causes that sessions are suspected to have fallen
// short for.
func Suspected(sessions []findings.Session) int {
	var all []findings.Cause
	for i := range sessions {
		_, suspects := barriers(&sessions[i])
		for _, c := range suspects {
			if !slices.ContainsFunc(all, c.Is) {
				all = append(all, c)
			}
		}
	}
	return len(all)
}

// barriers are the different things that a session may have fallen short for and that
// can be taken away, the likeliest first, and those of them that are suspected.
func barriers(s *findings.Session) (all, suspects []findings.Cause) {
	for _, o := range s.Barriers() {
		c := findings.CauseOf(&o)
		if _, ok := reliefs[o.Kind]; ok && !slices.ContainsFunc(all, c.Is) {
			all = append(all, c)
		}
	}
	return all, all[:min(len(all), suspectsEach)]
}
