// Package hof is a form of a public office, a question a page.
package hof

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"understudy/test/gym/ground"
	"understudy/test/harness"
)

const spec = "hof@23.0.3"

// Site is the framework's own example service.
var Site = ground.Site{
	Name: "hof", Kind: "form", What: "Home Office Forms 23.0.3, its example service (npm)", Licence: "MIT",
	NPM: []string{spec},
	Open: func(p *ground.Place) error {
		form := filepath.Join(ground.Package(spec), "sandbox")
		// Style and scripts are built within the package, once.
		err := p.Prepared("hof-23.0.3", func(b *ground.Place) error {
			_, err := b.Run([]string{"HOF_SANDBOX=true"}, "sh", "-c", `cd "$1" && node ../bin/hof-build`, "sh", form)
			return err
		})
		if err != nil {
			return err
		}
		serve := filepath.Join(harness.Root(), "test", "gym", "a", "hof", "serve.js")
		return p.Serve([]string{"DISABLE_CSP=true"}, "node", serve, form, p.Port(), filepath.Join(p.Dir, "answers"))
	},
	Tasks: []ground.Task{
		{
			Name: "apply",
			Text: `Fill in the basic form and send it. Your name is Maria Keller, you were born on 4 May 1990, the amount is 250 kilograms, you live at 12 Mill Lane, Leeds, LS1 4AP, ` +
				`your income is a salary, the hearing is in Scotland, your email address is maria@example.com and your phone number 0113 496 0000.`,
			Done: func(p *ground.Place) (bool, error) {
				a := answers(p)
				return a["name"] == "Maria Keller" && a["dateOfBirth"] == "1990-05-04" && a["postcode"] == "LS14AP" && a["countryOfHearing"] == "scotland" &&
					a["email"] == "maria@example.com", nil
			},
			Seen: &ground.Sight{Selector: "main", Address: "^/confirmation"},
		},
		{
			Name: "country",
			Text: `Fill in the complex form as far as the question in which country you are based, and answer Norway. Your name is Jon Berg, you were born on 20 11 1984, ` +
				`the amount is 3 litres, you live at 5 Harbour Street, Hull, HU1 1AA, your income is child benefit and the appeal was lodged in Northern Ireland.`,
			Done: func(p *ground.Place) (bool, error) {
				a := answers(p)
				return a["name"] == "Jon Berg" && a["countryOfHearing"] == "northernIreland" && a["countrySelect"] == "Norway", nil
			},
		},
		{
			Name: "accessibility",
			Text: "You use a screen reader. Find out what this service says about its accessibility.",
			Seen: &ground.Sight{Selector: "h1", Text: "accessibility", Address: "^/accessibility"},
		},
	},
}

// answers are the last ones given to each question; the service forgets them
// when they are sent.
func answers(p *ground.Place) map[string]any {
	all := map[string]any{}
	for line := range strings.SplitSeq(p.File("answers"), "\n") {
		var some map[string]any
		if json.Unmarshal([]byte(line), &some) == nil {
			for question, answer := range some {
				all[question] = answer
			}
		}
	}
	return all
}
