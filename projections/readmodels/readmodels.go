// Package readmodels lists the read models, for whoever has to do with every one of
// them.
package readmodels

import (
	"understudy/projections"
	"understudy/projections/accesslog"
	"understudy/projections/accounts"
	"understudy/projections/clients"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/gates"
	"understudy/projections/grants"
	"understudy/projections/keys"
	"understudy/projections/people"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/timeline"
	"understudy/projections/usage"
	"understudy/projections/webhooks"
	"understudy/projections/worklist"
)

// All are the read models.
func All() []projections.Projection {
	return []projections.Projection{
		accounts.Projection, tests.Projection, sessions.Projection, reports.Projection, gates.Projection,
		comparisons.Projection, webhooks.Projection, deliveries.Projection, timeline.Projection, worklist.Projection,
		personas.Projection, keys.Projection, people.Projection, clients.Projection, grants.Projection, usage.Projection, accesslog.Projection,
	}
}
