package address_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/address"
	"understudy/domain/domaintest"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

type (
	fact   = domaintest.Case[address.Command, address.Event]
	events = []address.Event
)

func TestAnAddressIsOnePersons(t *testing.T) {
	t.Parallel()
	claimed, other := address.Claimed{UserID: "usr_1", At: now}, address.Claimed{UserID: "usr_2", At: now}
	confirmed, released := address.Confirmed{UserID: "usr_1", At: now}, address.Released{UserID: "usr_1", At: now}
	domaintest.Run(t, address.Decider, []fact{
		{Name: "claimed", When: address.Claim{UserID: "usr_1", Now: now}, Then: events{claimed}},
		{Name: "claimed again", Given: events{claimed}, When: address.Claim{UserID: "usr_1", Now: now}},
		{Name: "claimed by another before it is confirmed", Given: events{claimed}, When: address.Claim{UserID: "usr_2", Now: now}, Then: events{other}},
		{Name: "confirmed", Given: events{claimed}, When: address.Confirm{UserID: "usr_1", Now: now}, Then: events{confirmed}},
		{Name: "confirmed again", Given: events{claimed, confirmed}, When: address.Confirm{UserID: "usr_1", Now: now}},
		{Name: "confirmed too late", Given: events{claimed, other}, When: address.Confirm{UserID: "usr_1", Now: now}, Refused: domain.CodeConflict},
		{Name: "confirmed by nobody", When: address.Confirm{UserID: "usr_1", Now: now}, Refused: domain.CodeConflict},
		{Name: "claimed by another after", Given: events{claimed, confirmed}, When: address.Claim{UserID: "usr_2", Now: now}, Refused: domain.CodeConflict},
		{Name: "released", Given: events{claimed, confirmed}, When: address.Release{UserID: "usr_1", Now: now}, Then: events{released}},
		{Name: "released by another", Given: events{claimed, confirmed}, When: address.Release{UserID: "usr_2", Now: now}},
		{Name: "claimed after the release", Given: events{claimed, confirmed, released}, When: address.Claim{UserID: "usr_2", Now: now}, Then: events{other}},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, address.Decider, address.Catalogue)
	domaintest.RoundTrips(t, address.Catalogue)
	domaintest.Laws(t, address.Decider, rapid.Custom(func(t *rapid.T) address.Command {
		who := rapid.SampledFrom([]string{"usr_1", "usr_2"}).Draw(t, "user")
		switch rapid.IntRange(0, 2).Draw(t, "command") {
		case 0:
			return address.Claim{UserID: who, Now: now}
		case 1:
			return address.Confirm{UserID: who, Now: now}
		default:
			return address.Release{UserID: who, Now: now}
		}
	}))
}
