package webhook_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/webhook"
)

const day = 24 * time.Hour

func rotate(id string, after time.Duration) webhook.RotateSecret {
	return webhook.RotateSecret{RotationID: id, Secret: "sealed " + id, Now: at(after)}
}

func rotated(id string, after time.Duration) webhook.SecretRotated {
	return webhook.SecretRotated{RotationID: id, Secret: "sealed " + id, EndsAt: at(after + day), At: at(after)}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	under := events{registered, rotated("rot_1", 0)}
	promoted := webhook.SecretPromoted{RotationID: "rot_1", At: at(time.Hour)}
	domaintest.Run(t, webhook.Decider, []fact{
		{Name: "begun", Given: events{registered}, When: rotate("rot_1", 0), Then: events{rotated("rot_1", 0)}},
		{Name: "begun again by the same request", Given: under, When: rotate("rot_1", time.Minute)},
		{Name: "a second one meanwhile", Given: under, When: rotate("rot_2", day-time.Millisecond), Refused: domain.CodeWrongState},
		{Name: "a second one once it has ended", Given: under, When: rotate("rot_2", day), Then: events{rotated("rot_2", day)}},
		{
			Name: "a second one once it was promoted", Given: events{registered, rotated("rot_1", 0), promoted}, When: rotate("rot_2", 2*time.Hour),
			Then: events{rotated("rot_2", 2*time.Hour)},
		},
		{Name: "promoted", Given: under, When: webhook.PromoteSecret{Now: at(time.Hour)}, Then: events{promoted}},
		{Name: "promoted again", Given: events{registered, rotated("rot_1", 0), promoted}, When: webhook.PromoteSecret{Now: at(2 * time.Hour)}},
		{Name: "promoted when it has ended", Given: under, When: webhook.PromoteSecret{Now: at(day)}},
		{Name: "promoted without one", Given: events{registered}, When: webhook.PromoteSecret{Now: now}, Refused: domain.CodeWrongState},
		{Name: "of nothing", When: rotate("rot_1", 0), Refused: domain.CodeNotFound},
	})
}

// Which secrets count is a function of what was recorded and the time: whatever
// rotations and promotions there were, the new secret counts from its rotation
// on, and the one before it until the promotion or the end of the 24th hour.
func TestSecretsAtAnyTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := webhook.Decider.Fold(webhook.Decider.Initial, events{registered})
		current, previous := registered.Secret, ""
		var ends time.Duration
		moment := time.Duration(0)
		for n := range rapid.IntRange(1, 12).Draw(t, "steps") {
			moment += time.Duration(rapid.IntRange(1, 30*3600).Draw(t, "seconds")) * time.Second
			if moment >= ends {
				previous = ""
			}
			var c webhook.Command = webhook.PromoteSecret{Now: at(moment)}
			if rapid.Bool().Draw(t, "rotate") {
				c = rotate("rot_"+string(rune('a'+n)), moment)
			}
			yielded, err := webhook.Decider.Decide(state, c)
			_, begins := c.(webhook.RotateSecret)
			switch {
			case begins && previous != "":
				if domain.CodeOf(err) != domain.CodeWrongState {
					t.Fatalf("a rotation within another: %v %v", yielded, err)
				}
			case begins:
				previous, current, ends = current, c.(webhook.RotateSecret).Secret, moment+day
			default:
				previous = ""
			}
			state = webhook.Decider.Fold(state, yielded)
			if c, p := state.Secrets(at(moment).Time); c != current || p != previous {
				t.Fatalf("the secrets are %q and %q, want %q and %q", c, p, current, previous)
			}
			if _, p := state.Secrets(at(moment + day).Time); p != "" {
				t.Fatalf("%q still counts a day later", p)
			}
		}
	})
}
