package webhook_test

import (
	"fmt"
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
		{Name: "the tenth disables", Given: failures(9), When: abandons(10), Then: events{counted(10, 10), disabled}},
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

// An endpoint is disabled exactly when ten deliveries in a row were abandoned.
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
			disabled = disabled || row == 10
			yielded, err := webhook.Decider.Decide(state, c)
			if err != nil {
				t.Fatal(err)
			}
			state = webhook.Decider.Fold(state, yielded)
			if (state.Status == webhook.StatusDisabled) != disabled {
				t.Fatalf("%s after %d abandoned in a row", state.Status, row)
			}
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, webhook.Decider, rapid.Custom(func(t *rapid.T) webhook.Command {
		switch rapid.IntRange(0, 30).Draw(t, "command") {
		case 0, 1, 2, 3:
			return webhook.Register{Webhook: registered}
		case 4:
			return webhook.Delete{Now: now}
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
