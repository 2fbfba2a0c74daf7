package httpapi_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"understudy/domain/account"
	"understudy/projections/usage"
)

func TestPlansAreListedWithTheirLimits(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := s.send("GET", "/plans", "slow", "").wants(t, 200, "")
	var page struct {
		Data []struct {
			ID                string
			RequestsPerMinute int  `json:"requests_per_minute"`
			SessionsPerMonth  *int `json:"sessions_per_month"`
			Current, Default  bool
		}
	}
	if err := json.Unmarshal(g.body, &page); err != nil || len(page.Data) != 4 {
		t.Fatalf("%s: %v", g.body, err)
	}
	free, team := page.Data[0], page.Data[3]
	if free.ID != "free" || free.RequestsPerMinute != 10 || free.SessionsPerMonth == nil || *free.SessionsPerMonth != 500 || !free.Current || free.Default {
		t.Errorf("the first is %+v", free)
	}
	if team.ID != "team" || team.RequestsPerMinute != 1000 || team.SessionsPerMonth != nil || team.Current || !team.Default {
		t.Errorf("the last is %+v", team)
	}
	s.send("GET", "/plans", "", "").wants(t, 401, "unauthenticated")
}

func TestThePlanIsTheOwnersToChange(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := s.send("PUT", "/organization/plan", "all", `{"plan":"pro"}`).wants(t, 200, "")
	if g.object(t)["id"] != "org_a" || g.Header.Get("ETag") != `"4"` || !reflect.DeepEqual(s.changes.plans, []account.Plan{account.Pro}) || s.changes.calls[0].Meta.KeyID != "key_all" {
		t.Errorf("%s, asked for %v by %+v", g.body, s.changes.plans, s.changes.calls)
	}
	s.send("PUT", "/organization/plan", "admin", `{"plan":"pro"}`).wants(t, 403, "forbidden")
	s.send("PUT", "/organization/plan", "read", `{"plan":"pro"}`).wants(t, 403, "insufficient_scope")
	s.send("PUT", "/organization/plan", "all", `{"plan":"gold"}`).wants(t, 422, "validation_failed")
	s.send("PUT", "/organization/plan", "all", `{}`).wants(t, 422, "validation_failed")
	if len(s.changes.plans) != 1 {
		t.Errorf("asked for %v", s.changes.plans)
	}
}

func TestUsageIsToldWithTheQuota(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := s.send("GET", "/usage", "slow", "").wants(t, 200, "")
	const want = `{"environment":"live","from":"2026-11-01T00:00:00.000Z","to":null,"group_by":"day",` +
		`"quota":{"plan":"free","limit":500,"used":7,"reserved":3,"left":490,"resets_at":"2026-12-01T00:00:00.000Z"},` +
		`"data":[{"group":"2026-11-21","tests":1,"sessions":10,"used":7,"reserved":3,"returned":0},{"group":"2026-11-20","tests":2,"sessions":5,"used":0,"reserved":0,"returned":5}],` +
		`"has_more":false,"next_cursor":null}` + "\n"
	if string(g.body) != want {
		t.Errorf("%s\nwant\n%s", g.body, want)
	}
	quota := s.send("GET", "/usage", "all", "").wants(t, 200, "").object(t)["quota"].(map[string]any)
	if quota["limit"] != nil || quota["left"] != nil || quota["used"] != 7.0 {
		t.Errorf("without a limit: %v", quota)
	}

	first := s.send("GET", "/usage?group_by=test&from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00%2B02:00&limit=1", "all", "").wants(t, 200, "").object(t)
	if first["has_more"] != true || first["group_by"] != "test" || first["to"] != "2026-11-21T22:00:00.000Z" {
		t.Errorf("%v", first)
	}
	s.send("GET", "/usage?group_by=test&from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00%2B02:00&limit=1&cursor="+first["next_cursor"].(string), "all", "").wants(t, 200, "")
	asked := s.ledger.asked[len(s.ledger.asked)-1]
	if asked.By != usage.ByTest || asked.After != "2026-11-21" || !asked.From.Equal(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)) || !asked.To.Equal(time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)) {
		t.Errorf("asked for %+v", asked)
	}
	s.send("GET", "/usage?group_by=week", "all", "").wants(t, 422, "validation_failed")
	s.send("GET", "/usage?from=yesterday", "all", "").wants(t, 422, "validation_failed")
	s.send("GET", "/usage?group_by=key&cursor="+first["next_cursor"].(string), "all", "").wants(t, 422, "validation_failed")
}

// TestAnExceededQuotaIs402: with what is left, and when there is more.
func TestAnExceededQuotaIs402(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.commands.before = func() error {
		return account.Quota{Plan: account.Free, Limit: 500, Used: 480, Reserved: 15, Month: "2026-11"}.Admits(20)
	}
	g := s.send("POST", "/tests", "all", `{"url":"https://shop.example/","task":"buy a lamp","sessions":20}`).wants(t, 402, "session_quota_exceeded")
	p := g.object(t)
	quota, _ := p["quota"].(map[string]any)
	if quota["left"] != 5.0 || quota["limit"] != 500.0 || quota["used"] != 480.0 || quota["reserved"] != 15.0 || quota["plan"] != "free" || quota["resets_at"] != "2026-12-01T00:00:00.000Z" {
		t.Errorf("%s", g.body)
	}
	const detail = "this needs 20 live sessions and 5 of the 500 of this month are left on the plan free; the next month begins at 2026-12-01T00:00:00Z. Ask for fewer, use a sandbox key, or change the plan"
	if p["detail"] != detail {
		t.Errorf("%s", p["detail"])
	}
	// Once there is room, the same request goes through.
	s.commands.before = nil
	s.send("POST", "/tests", "all", `{"url":"https://shop.example/","task":"buy a lamp","sessions":20}`).wants(t, 201, "")
}
