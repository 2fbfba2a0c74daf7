package e2e

import (
	"net/http"
	"reflect"
	"testing"
	"time"
)

// describe makes a custom persona.
func (c client) describe(t testing.TB, body map[string]any) personaResource {
	t.Helper()
	return read[personaResource](t, c.send(t, http.MethodPost, "/personas", body).wants(t, http.StatusCreated, ""))
}

// signUpAs is an ordinary sandbox test of custom personas.
func signUpAs(sessions int, ids ...string) map[string]any {
	body := signUp(sessions)
	body["personas"] = map[string]any{"source": "custom", "persona_ids": ids}
	return body
}

// What a test was walked by stays readable as it was, whatever becomes of the
// persona.
func TestADeletedPersonaStaysInItsTests(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	slow := c.describe(t, map[string]any{"name": "Slow Sam", "age_band": "75+", "reading_wpm": 60})
	quick := c.describe(t, map[string]any{"name": "Quick Quinn", "reading_wpm": 450})
	if slow.Summary == "" || slow.ReadingWPM != 60 || quick.AgeBand != "35-44" {
		t.Errorf("the personas are %+v and %+v", slow, quick)
	}
	test := c.create(t, signUpAs(4, slow.ID, quick.ID))
	c.completed(t, test.ID, time.Minute)
	walked := c.sessions(t, test.ID)
	for i, s := range walked {
		if want := []personaResource{slow, quick}[i%2]; s.Persona != want {
			t.Errorf("session %d was walked by %+v, want %+v", i, s.Persona, want)
		}
	}

	c.send(t, http.MethodPatch, "/personas/"+slow.ID, map[string]any{"name": "Somebody else", "reading_wpm": nil}).wants(t, 200, "")
	if now := get[personaResource](t, c, "/personas/"+slow.ID); now.Name != "Somebody else" || now.ReadingWPM != 238 || now.AgeBand != "75+" {
		t.Errorf("changed to %+v", now)
	}
	for _, p := range []personaResource{slow, quick} {
		c.send(t, http.MethodDelete, "/personas/"+p.ID, nil).wants(t, http.StatusNoContent, "")
		c.send(t, http.MethodGet, "/personas/"+p.ID, nil).wants(t, http.StatusNotFound, "not_found")
		c.send(t, http.MethodDelete, "/personas/"+p.ID, nil).wants(t, http.StatusNotFound, "not_found")
	}
	for _, listed := range all[personaResource](t, c, "/personas") {
		if listed.ID == slow.ID || listed.ID == quick.ID {
			t.Errorf("%s is listed after its deletion", listed.Name)
		}
	}
	if after := c.sessions(t, test.ID); !reflect.DeepEqual(after, walked) {
		t.Errorf("the sessions were\n%+v\nand after the deletion are\n%+v", walked, after)
	}
	if s := get[sessionResource](t, c, "/sessions/"+walked[0].ID); s.Persona != slow || s.Trace == nil || len(s.Trace.Steps) == 0 {
		t.Errorf("the session is told with %+v", s.Persona)
	}
	refused := c.send(t, http.MethodPost, "/tests", signUpAs(2, slow.ID)).wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
	if len(refused.Errors) != 1 || refused.Errors[0].Pointer != "/personas/persona_ids/0" {
		t.Errorf("a test of a deleted persona: %+v", refused.Errors)
	}
	// Nor does it keep a new design from being held against that test.
	held := c.compared(t, map[string]any{"a": map[string]any{"test_id": test.ID}, "b": map[string]any{"url": "https://shop.example.com/new"}}, time.Minute)
	if held.Status != "completed" || held.Result.Design != "paired" || held.Result.Pairs != 4 {
		t.Errorf("a variant for people who are gone: %+v", held)
	}
}

// The same seeds and another reading speed: another pace.
func TestFacetsOfACustomPersonaDecideItsWalk(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	const sessions = 3
	var took [2][]float64
	for i, wpm := range []int{60, 450} {
		p := c.describe(t, map[string]any{"name": "A reader", "reading_wpm": wpm})
		test := c.create(t, signUpAs(sessions, p.ID))
		c.completed(t, test.ID, time.Minute)
		for _, s := range c.sessions(t, test.ID) {
			took[i] = append(took[i], s.SimulatedSeconds/float64(max(s.Steps, 1)))
		}
	}
	for i := range sessions {
		if took[0][i] <= took[1][i] {
			t.Errorf("session %d: a step took %.1f s at 60 words a minute and %.1f s at 450", i, took[0][i], took[1][i])
		}
	}
}

func TestPersonasOfOthersCannotBeUsed(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	mine := c.describe(t, map[string]any{"name": "Mine"})
	live := s.live().describe(t, map[string]any{"name": "Of the other environment"})
	const nobody = "per_01kaj8h2v4e6tvn2f3m9q0w7xz"
	refused := c.send(t, http.MethodPost, "/tests", signUpAs(2, live.ID, mine.ID, nobody)).
		wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
	if e := refused.Errors; len(e) != 2 || e[0].Pointer != "/personas/persona_ids/0" || e[1].Pointer != "/personas/persona_ids/2" {
		t.Errorf("the errors are %+v", refused.Errors)
	}
	c.send(t, http.MethodGet, "/personas/"+live.ID, nil).wants(t, http.StatusNotFound, "not_found")
	c.send(t, http.MethodPatch, "/personas/"+live.ID, map[string]any{"name": "Mine now"}).wants(t, http.StatusNotFound, "not_found")
	c.send(t, http.MethodDelete, "/personas/"+live.ID, nil).wants(t, http.StatusNotFound, "not_found")

	for path, method := range map[string]string{"/personas": http.MethodPost, "/personas/" + mine.ID: http.MethodPatch} {
		blank := c.send(t, method, path, map[string]any{"name": " "}).wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
		if len(blank.Errors) != 1 || blank.Errors[0].Pointer != "/name" {
			t.Errorf("%s with a blank name: %+v", method, blank.Errors)
		}
	}
	if now := get[personaResource](t, c, "/personas/"+mine.ID); now != mine {
		t.Errorf("what was refused changed the persona to %+v", now)
	}
}
