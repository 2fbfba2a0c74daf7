// Package actual is the budget of a household, kept in the browser.
package actual

import (
	"fmt"
	"net/http"
	"path/filepath"

	"understudy/test/gym/ground"
)

const spec = "@actual-app/web@26.9.0"

// Site is the application as it is before anybody has a budget in it.
var Site = ground.Site{
	Name: "actual", Kind: "budget", What: "Actual Budget 26.9.0 (npm)", Licence: "MIT", Static: true,
	NPM: []string{spec},
	Open: func(p *ground.Place) error {
		if err := ground.Files(ground.Package(spec), "build")(p); err != nil {
			return err
		}
		files := p.Handler
		p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// Its database works on memory that threads share, which browsers grant to pages that ask for it.
			w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
			w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
			if filepath.Ext(r.URL.Path) == "" {
				r.URL.Path = "/" // every page is the one
			}
			files.ServeHTTP(w, r)
		})
		return nil
	},
	Tasks: []ground.Task{
		{
			Name: "account",
			Text: `Start a budget and put an account called "Piggy bank" in it that holds 250.`,
			Seen: &ground.Sight{Selector: `a[href*="/accounts/"]`, Text: `^\s*Piggy bank\s*250\.00`},
		},
		{
			Name: "rename",
			Text: `Start a budget and rename its category "General" to "Household".`,
			Seen: is(`names.includes('household') && !names.includes('general')`),
		},
		{
			Name: "plan",
			Text: `Start a budget and plan to spend 120 on food this month.`,
			Seen: is(`rows.some(r => /^food$/i.test(name(r)) && /^120\.00$/.test(r.querySelector('[data-testid="budget"]')?.textContent.trim()))`),
		},
		{
			Name: "theme",
			Text: `Start a budget and change the settings so that everything is dark.`,
			Seen: &ground.Sight{Script: `location.pathname !== '/' && parseInt(getComputedStyle(document.documentElement).getPropertyValue('--color-pageBackground').trim().slice(1, 3), 16) < 80`},
		},
	},
}

// is looks at the table with the categories.
func is(condition string) *ground.Sight {
	return &ground.Sight{Script: fmt.Sprintf(`(() => {
		const rows = [...document.querySelectorAll('[data-testid="budget-table"] [data-testid="row"]')];
		const name = (row) => row.querySelector('[data-testid="category-name"]')?.textContent.trim() || '';
		const names = rows.map(r => name(r).toLowerCase());
		return %s;
	})()`, condition)}
}
