package webhook_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/webhook"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

var registered = webhook.Registered{
	WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live,
	URL: "https://hooks.example/", Events: []string{"test.completed"}, Secret: "ciphertext", At: now,
}

func id(n int) string { return fmt.Sprintf("dlv_%d", n) }

func abandons(n int) webhook.RecordDelivery {
	return webhook.RecordDelivery{DeliveryID: id(n), Now: now}
}

func delivers(n int) webhook.RecordDelivery {
	return webhook.RecordDelivery{DeliveryID: id(n), Delivered: true, Now: now}
}

func counted(n, consecutive int) webhook.FailureCounted {
	return webhook.FailureCounted{DeliveryID: id(n), Consecutive: consecutive, At: now}
}

func warned(consecutive int) webhook.OwnerWarned {
	return webhook.OwnerWarned{Consecutive: consecutive, At: now}
}

// failures are the facts of n abandoned deliveries in a row, dlv_1 … dlv_n.
func failures(n int) events {
	all := events{registered}
	for i := 1; i <= n; i++ {
		all = append(all, counted(i, i))
	}
	return all
}

type (
	fact   = domaintest.Case[webhook.Command, webhook.Event]
	events = []webhook.Event
)

func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	disabled := webhook.Disabled{Consecutive: 10, At: now}
	off := append(failures(10), disabled)
	domaintest.Run(t, webhook.Decider, []fact{
		{Name: "the first failure", Given: failures(0), When: abandons(1), Then: events{counted(1, 1)}},
		{Name: "the ninth does not disable", Given: failures(8), When: abandons(9), Then: events{counted(9, 9)}},
		{Name: "the fourth does not warn", Given: failures(3), When: abandons(4), Then: events{counted(4, 4)}},
		{Name: "the fifth warns", Given: failures(4), When: abandons(5), Then: events{counted(5, 5), warned(5)}},
		{Name: "the sixth does not warn again", Given: failures(5), When: abandons(6), Then: events{counted(6, 6)}},
		{Name: "the seventh warns", Given: failures(6), When: abandons(7), Then: events{counted(7, 7), warned(7)}},
		{Name: "the tenth disables and tells so", Given: failures(9), When: abandons(10), Then: events{counted(10, 10), disabled, warned(10)}},
		{Name: "the same failure again", Given: failures(3), When: abandons(3)},
		{Name: "a success without failures before it", Given: failures(0), When: delivers(1)},
		{Name: "a success after nine", Given: failures(9), When: delivers(10), Then: events{webhook.Recovered{DeliveryID: id(10), At: now}}},
		{
			Name: "counting starts again from 0", Given: append(failures(9), webhook.Recovered{DeliveryID: id(10), At: now}), When: abandons(11),
			Then: events{counted(11, 1)},
		},
		{Name: "the same success again", Given: append(failures(2), webhook.Recovered{DeliveryID: id(3), At: now}), When: delivers(3)},
		{Name: "a late failure after it was disabled", Given: off, When: abandons(11)},
		{Name: "a late success after it was disabled", Given: off, When: delivers(11)},
		{Name: "a late ending after it was deleted", Given: append(failures(1), webhook.Deleted{At: now}), When: abandons(2)},
		{Name: "an ending for nothing", When: abandons(1)},
	})
}

func TestRegisterAndDelete(t *testing.T) {
	t.Parallel()
	domaintest.Run(t, webhook.Decider, []fact{
		{Name: "registered", When: webhook.Register{Webhook: registered}, Then: events{registered}},
		{Name: "registered again", Given: events{registered}, When: webhook.Register{Webhook: registered}},
		{Name: "deleted", Given: events{registered}, When: webhook.Delete{Now: now}, Then: events{webhook.Deleted{At: now}}},
		{
			Name: "deleted while disabled", Given: append(failures(10), webhook.Disabled{Consecutive: 10, At: now}),
			When: webhook.Delete{Now: now}, Then: events{webhook.Deleted{At: now}},
		},
		{Name: "deleted again", Given: events{registered, webhook.Deleted{At: now}}, When: webhook.Delete{Now: now}, Refused: domain.CodeNotFound},
		{Name: "deletion of nothing", When: webhook.Delete{Now: now}, Refused: domain.CodeNotFound},
	})
}

// An endpoint is disabled exactly when ten deliveries in a row were abandoned,
// and its owner is told of exactly the fifth, the seventh and the tenth.
func TestDisabledAfterAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := webhook.Decider.Fold(webhook.Decider.Initial, events{registered})
		row, disabled := 0, false
		for n := range rapid.IntRange(0, 60).Draw(t, "deliveries") {
			c := abandons(n)
			c.Delivered = rapid.IntRange(0, 11).Draw(t, "delivered") == 0
			if row++; c.Delivered {
				row = 0
			}
			off := disabled
			disabled = disabled || row == 10
			yielded, err := webhook.Decider.Decide(state, c)
			if err != nil {
				t.Fatal(err)
			}
			state = webhook.Decider.Fold(state, yielded)
			told := slices.ContainsFunc(yielded, func(e webhook.Event) bool { _, is := e.(webhook.OwnerWarned); return is })
			if due := !off && (row == 5 || row == 7 || row == 10); told != due {
				t.Fatalf("after %d abandoned in a row: %v", row, yielded)
			}
			if rapid.IntRange(0, 3).Draw(t, "enabled") == 0 && disabled {
				state = webhook.Decider.Evolve(state, webhook.Reenabled{At: now})
				row, disabled = 0, false
			}
			if (state.Status == webhook.StatusDisabled) != disabled {
				t.Fatalf("%s after %d abandoned in a row", state.Status, row)
			}
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, webhook.Decider, rapid.Custom(func(t *rapid.T) webhook.Command {
		later := at(time.Duration(rapid.IntRange(0, 48).Draw(t, "hours")) * time.Hour)
		switch rapid.IntRange(0, 40).Draw(t, "command") {
		case 0, 1, 2, 3:
			return webhook.Register{Webhook: registered}
		case 4:
			return webhook.Delete{Now: now}
		case 5, 6:
			return webhook.Enable{Now: later}
		case 7, 8:
			return webhook.RotateSecret{RotationID: rapid.SampledFrom([]string{"rot_1", "rot_2", "rot_3"}).Draw(t, "rotation"), Secret: "new", Now: later}
		case 9:
			return webhook.PromoteSecret{Now: later}
		case 10, 11:
			url := rapid.SampledFrom([]string{"https://a.example/", "https://b.example/"}).Draw(t, "url")
			return webhook.Change{URL: &url, Now: later}
		case 13:
			return webhook.Pause{Now: later}
		case 12:
			return webhook.RequestReplay{ReplayID: "rpl_1", From: now, To: later, Which: webhook.All, Now: later}
		}
		c := abandons(rapid.IntRange(1, 50).Draw(t, "delivery"))
		c.Delivered = rapid.IntRange(0, 9).Draw(t, "delivered") == 0
		return c
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, webhook.Decider, webhook.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, webhook.Catalogue)
}

func at(d time.Duration) domain.Time { return domain.At(now.Add(d)) }

func text(s string) *string { return &s }

func TestEnabling(t *testing.T) {
	t.Parallel()
	off := append(failures(10), webhook.Disabled{Consecutive: 10, At: now}, warned(10))
	on := append(off[:len(off):len(off)], webhook.Reenabled{At: at(time.Hour)})
	domaintest.Run(t, webhook.Decider, []fact{
		{Name: "a disabled one", Given: off, When: webhook.Enable{Now: at(time.Hour)}, Then: events{webhook.Reenabled{At: at(time.Hour)}}},
		{Name: "an enabled one", Given: failures(3), When: webhook.Enable{Now: now}},
		{Name: "again", Given: on, When: webhook.Enable{Now: now}},
		{Name: "one that is deleted", Given: append(on[:len(on):len(on)], webhook.Deleted{At: now}), When: webhook.Enable{Now: now}, Refused: domain.CodeNotFound},
		{Name: "none", When: webhook.Enable{Now: now}, Refused: domain.CodeNotFound},
		{Name: "counting starts again from 0", Given: on, When: abandons(11), Then: events{counted(11, 1)}},
		{Name: "the ending that disabled it, told again", Given: on, When: abandons(10)},
	})
}

func TestPausing(t *testing.T) {
	t.Parallel()
	paused := append(failures(3), webhook.Paused{At: now})
	domaintest.Run(t, webhook.Decider, []fact{
		{Name: "an enabled one", Given: failures(3), When: webhook.Pause{Now: now}, Then: events{webhook.Paused{At: now}}},
		{Name: "again", Given: paused, When: webhook.Pause{Now: now}},
		{Name: "nothing is counted meanwhile", Given: paused, When: abandons(4)},
		{Name: "resumed", Given: paused, When: webhook.Enable{Now: at(time.Hour)}, Then: events{webhook.Reenabled{At: at(time.Hour)}}},
		{Name: "one that failures disabled", Given: append(failures(10), webhook.Disabled{Consecutive: 10, At: now}), When: webhook.Pause{Now: now}},
		{Name: "one that is deleted", Given: events{registered, webhook.Deleted{At: now}}, When: webhook.Pause{Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestChanging(t *testing.T) {
	t.Parallel()
	const there = "https://elsewhere.example/"
	all := []string{}
	changed := func(url string, names ...string) webhook.Changed {
		return webhook.Changed{URL: url, Events: append([]string{}, names...), At: now}
	}
	domaintest.Run(t, webhook.Decider, []fact{
		{
			Name: "the address", Given: failures(0), When: webhook.Change{URL: text(there), Now: now},
			Then: events{changed(there, "test.completed")},
		},
		{Name: "to all events", Given: failures(0), When: webhook.Change{Events: &all, Now: now}, Then: events{changed(registered.URL)}},
		{Name: "nothing", Given: failures(0), When: webhook.Change{Now: now}},
		{Name: "to what it is", Given: failures(0), When: webhook.Change{URL: text(registered.URL), Events: &registered.Events, Now: now}},
		{
			Name: "a second time", Given: events{registered, changed(there)}, When: webhook.Change{URL: text(registered.URL), Now: now},
			Then: events{changed(registered.URL)},
		},
		{Name: "one that is deleted", Given: events{registered, webhook.Deleted{At: now}}, When: webhook.Change{Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestRequestingReplays(t *testing.T) {
	t.Parallel()
	const window = 72 * time.Hour
	ask := func(from, to time.Duration) webhook.RequestReplay {
		return webhook.RequestReplay{ReplayID: "rpl_1", From: at(from), To: at(to), Which: webhook.Failed, Now: now}
	}
	recorded := func(from, to time.Duration) webhook.ReplayRequested {
		return webhook.ReplayRequested{ReplayID: "rpl_1", From: at(from), To: at(to), Which: webhook.Failed, At: now}
	}
	off := append(failures(10), webhook.Disabled{Consecutive: 10, At: now})
	domaintest.Run(t, webhook.Decider, []fact{
		{Name: "exactly 72 hours", Given: failures(0), When: ask(-window, 0), Then: events{recorded(-window, 0)}},
		{Name: "a millisecond more", Given: failures(0), When: ask(-window-time.Millisecond, 0), Refused: domain.CodeValidationFailed},
		{Name: "the wrong way round", Given: failures(0), When: ask(-time.Hour, -2*time.Hour), Refused: domain.CodeValidationFailed},
		{Name: "told again", Given: events{registered, recorded(-window, 0)}, When: ask(-window, 0)},
		{Name: "to a disabled endpoint", Given: off, When: ask(-time.Hour, 0), Refused: domain.CodeWrongState},
		{Name: "to a deleted one", Given: events{registered, webhook.Deleted{At: now}}, When: ask(-time.Hour, 0), Refused: domain.CodeNotFound},
	})
}
