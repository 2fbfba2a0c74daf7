package service_test

import (
	"sync"
	"testing"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/testrun"
)

// The world's caps are 3 open tests with 9000 sessions, 2 endpoints and 2 personas.
func TestAnOrganizationHasOnlySoMuchAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	first, err := w.ask(alice, 8600)
	w.must(err)
	_, err = w.ask(alice, 401)
	w.refused(err, domain.CodeTooManyAtOnce)
	for range 2 {
		_, err = w.ask(alice, 10)
		w.must(err)
	}
	_, err = w.ask(alice, 1)
	w.refused(err, domain.CodeTooManyAtOnce)
	// The same request again is the same test, and others are not concerned.
	in := lamp()
	in.Sessions = 8600
	_, err = w.CreateTest(w.ctx, call(alice, first), first, in)
	w.must(err)
	_, err = w.ask(sandbox, 600)
	w.must(err)
	// What has ended makes room.
	w.tell(first, testrun.Cancel{Now: w.created(first).CreatedAt})
	_, err = w.ask(alice, 8980)
	w.must(err)
}

func TestRequestsAtTheSameTimeDoNotPassACapTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	var made, refused int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 12 {
		id := newID(domain.PrefixWebhook)
		wg.Go(func() {
			_, err := w.RegisterWebhook(w.ctx, call(alice, id), id, service.NewWebhook{URL: "https://hooks.example/"})
			mu.Lock()
			defer mu.Unlock()
			switch domain.CodeOf(err) {
			case "":
				w.must(err)
				made++
			case domain.CodeTooMany:
				refused++
			default:
				t.Errorf("an endpoint was refused with %v", err)
			}
		})
	}
	wg.Wait()
	if made > 2 || made+refused != 12 {
		t.Errorf("%d endpoints were made and %d refused, at most 2 may be there", made, refused)
	}
}

func TestEndpointsAndPersonasAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	endpoint := func(p service.Principal, id string) error {
		_, err := w.RegisterWebhook(w.ctx, call(p, id), id, service.NewWebhook{URL: "https://hooks.example/"})
		return err
	}
	somebody := func(p service.Principal, id string) error {
		_, err := w.CreatePersona(w.ctx, call(p, id), id, persona.Draft{Name: "Ann"})
		return err
	}
	hooks := []string{newID(domain.PrefixWebhook), newID(domain.PrefixWebhook), newID(domain.PrefixWebhook)}
	people := []string{newID(domain.PrefixPersona), newID(domain.PrefixPersona), newID(domain.PrefixPersona)}
	for i := range 2 {
		w.must(endpoint(alice, hooks[i]))
		w.must(somebody(alice, people[i]))
	}
	w.refused(endpoint(alice, hooks[2]), domain.CodeTooMany)
	w.refused(somebody(alice, people[2]), domain.CodeTooMany)
	w.must(endpoint(alice, hooks[1]))
	w.must(somebody(alice, people[1]))
	w.must(endpoint(mallory, newID(domain.PrefixWebhook)))
	w.must(w.DeleteWebhook(w.ctx, call(alice, newID(domain.PrefixWebhook)), hooks[0]))
	w.must(w.DeletePersona(w.ctx, call(alice, newID(domain.PrefixPersona)), people[0]))
	w.must(endpoint(alice, hooks[2]))
	w.must(somebody(alice, people[2]))
}
