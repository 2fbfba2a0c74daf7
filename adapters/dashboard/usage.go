package dashboard

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/tests"
	"understudy/projections/usage"
)

// Usage is the use cases of plans and of what is used.
type Usage interface {
	Quota(ctx context.Context, p service.Principal) (account.Quota, error)
	Usage(ctx context.Context, p service.Principal, which usage.Query) (service.Page[usage.Sum], error)
	ChangePlan(ctx context.Context, call service.Call, plan account.Plan) (projections.Document[accounts.Document], error)
	Test(ctx context.Context, p service.Principal, id string) (projections.Document[tests.Document], error)
}

// usageRoutes are the pages of the plan and of what is used.
func (d *Dashboard) usageRoutes() map[string]signedIn {
	return map[string]signedIn{"GET /usage": d.usage, "POST /usage/plan": d.only(access.Billing, d.changePlan)}
}

// usagePage is the plan, and what was used in a month.
type usagePage struct {
	Plan   account.Plan
	Limits account.Limits
	Quota  account.Quota
	Caps   service.Caps
	// Month is the one that is shown, Before and After those beside it, "" for none.
	Month         time.Time
	Before, After string
	Days          []dayBar
	Most          int
	Total         usage.Sum
	Keys, Tests   []spender
	// MoreTests: there are more than are shown.
	MoreTests bool
	// May: who looks changes the plan to one of Plans.
	May   bool
	Plans []planChoice
}

// planChoice is a plan to choose.
type planChoice struct {
	Plan    account.Plan
	Limits  account.Limits
	Current bool
}

// dayBar is a day in a plot of 100 by 100 of its own for each day.
type dayBar struct {
	usage.Sum
	Day time.Time
	// X is where the day begins. Used and Reserved are how high, and where the tops are.
	X                                int
	UsedY, UsedTall, HeldY, HeldTall float64
}

// spender is a key or a test with what it used.
type spender struct {
	usage.Sum
	Name, Path string
}

// Wide is how wide the plot is.
func (p usagePage) Wide() int { return 10*len(p.Days) - 2 }

// LastDay is the last one of the month.
func (p usagePage) LastDay() time.Time { return p.Month.AddDate(0, 1, -1) }

// Resets is when the next month begins.
func (p usagePage) Resets() domain.Time { return p.Quota.Month.Ends() }

// Counted are the sessions that are gone from the quota.
func (p usagePage) Counted() int { return min(p.Quota.Limit, p.Quota.Used+p.Quota.Reserved) }

// limitWords say what a plan allows.
func limitWords(l account.Limits) string {
	sessions := "as many live sessions as you like"
	if l.SessionsPerMonth > 0 {
		sessions = grouped(l.SessionsPerMonth) + " live sessions a month"
	}
	return grouped(l.RequestsPerMinute) + " requests a minute of each key, " + sessions
}

// grouped writes a number with a comma between each three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// mostUsed is how many keys and tests are shown.
const mostUsed = 20

const monthForm = "2006-01"

func (d *Dashboard) usage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if err := d.showUsage(w, r, who, nil); err != nil {
		d.fail(w, r, err)
	}
}

func (d *Dashboard) showUsage(w http.ResponseWriter, r *http.Request, who service.Principal, wrong error) (err error) {
	ctx, now := r.Context(), time.Now().UTC()
	page := usagePage{Plan: who.Plan, Limits: d.Plans[who.Plan], Caps: d.Caps, May: who.Role.May(access.Billing)}
	for _, plan := range account.PlanNames {
		page.Plans = append(page.Plans, planChoice{plan, d.Plans[plan], plan == who.Plan})
	}
	if page.Month, err = time.Parse(monthForm, r.URL.Query().Get("month")); err != nil || page.Month.After(now) {
		page.Month = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	page.Before = page.Month.AddDate(0, -1, 0).Format(monthForm)
	next := page.Month.AddDate(0, 1, 0)
	if !next.After(now) {
		page.After = next.Format(monthForm)
	}
	if page.Quota, err = d.Usage.Quota(ctx, who); err != nil {
		return err
	}
	sums := func(by usage.Group, limit int) ([]usage.Sum, bool, error) {
		listed, err := d.Usage.Usage(ctx, who, usage.Query{From: page.Month, To: next, By: by, Limit: limit})
		if err != nil {
			return nil, false, err
		}
		all, err := decoded(listed)
		return all, listed.Next != "", err
	}
	days, _, err := sums(usage.ByDay, 31)
	if err != nil {
		return err
	}
	page.Days, page.Most, page.Total = daysOf(page.Month, days)
	byKey, _, err := sums(usage.ByKey, mostUsed)
	if err != nil {
		return err
	}
	for _, sum := range byKey {
		page.Keys = append(page.Keys, d.credential(ctx, who, sum))
	}
	byTest, more, err := sums(usage.ByTest, mostUsed)
	if err != nil {
		return err
	}
	page.MoreTests = more
	for _, sum := range byTest {
		one := spender{Sum: sum, Name: sum.Group, Path: "/tests/" + sum.Group}
		if doc, err := d.Usage.Test(ctx, who, sum.Group); err == nil {
			if test, err := doc.Decode(); err == nil {
				one.Name = test.Task
			}
		}
		page.Tests = append(page.Tests, one)
	}
	v := view{Title: "Plan and usage", Who: &who, Data: page}
	if wrong != nil {
		d.again(w, r, "usage", v, wrong)
		return nil
	}
	d.show(w, r, http.StatusOK, "usage", v)
	return nil
}

// daysOf are all days of a month with what was used, how much the most is and the sum of all.
func daysOf(month time.Time, sums []usage.Sum) (out []dayBar, most int, total usage.Sum) {
	byDay := map[string]usage.Sum{}
	for _, s := range sums {
		byDay[s.Group] = s
		most = max(most, s.Used+s.Reserved)
		total.Tests, total.Sessions, total.Used = total.Tests+s.Tests, total.Sessions+s.Sessions, total.Used+s.Used
		total.Reserved, total.Returned = total.Reserved+s.Reserved, total.Returned+s.Returned
	}
	for at := month; at.Month() == month.Month(); at = at.AddDate(0, 0, 1) {
		bar := dayBar{Sum: byDay[at.Format(time.DateOnly)], Day: at, X: 10 * len(out)}
		if most > 0 {
			bar.UsedTall, bar.HeldTall = 100*float64(bar.Used)/float64(most), 100*float64(bar.Reserved)/float64(most)
			bar.UsedY = 100 - bar.UsedTall
			bar.HeldY = bar.UsedY - bar.HeldTall
		}
		out = append(out, bar)
	}
	return out, most, total
}

// credential names what asked for tests.
func (d *Dashboard) credential(ctx context.Context, who service.Principal, sum usage.Sum) spender {
	out := spender{Sum: sum, Name: sum.Group}
	switch prefix, _, _ := strings.Cut(sum.Group, "_"); prefix {
	case domain.PrefixSignIn:
		out.Name = "A person in the dashboard"
	case domain.PrefixGrant:
		out.Name = "An application"
	case domain.PrefixKey:
		if doc, err := d.Keys.Key(ctx, who, sum.Group); err == nil {
			if k, err := doc.Decode(); err == nil {
				out.Name, out.Path = k.Name, "/keys/"+k.ID
			}
		}
	}
	return out
}

func (d *Dashboard) changePlan(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err == nil {
		_, err = d.Usage.ChangePlan(r.Context(), call, account.Plan(r.PostFormValue("plan")))
	}
	if err != nil {
		if err := d.showUsage(w, r, who, err); err != nil {
			d.fail(w, r, err)
		}
		return
	}
	d.goOn(w, r, "/usage", "The plan is changed.")
}
