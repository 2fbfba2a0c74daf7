// Package hledger is the accounts of a household.
package hledger

import (
	"fmt"
	"regexp"
	"strings"

	"understudy/test/gym/ground"
)

// Site is two years of a household's accounts.
var Site = ground.Site{
	Name: "hledger", Kind: "bank", What: "hledger-web 1.25 (Debian)", Licence: "GPL-3.0-or-later",
	Debian: []string{"hledger-web"},
	Open: func(p *ground.Place) error {
		if err := ground.Write(p.Dir, map[string]string{"home.journal": journal()}); err != nil {
			return err
		}
		return p.Serve([]string{"LANG=C.UTF-8"}, "hledger-web", "--serve", "-f", "home.journal", "--host", "127.0.0.1", "--port", p.Port(),
			"--base-url", p.Origin, "--capabilities", "view,add,manage")
	},
	Tasks: []ground.Task{
		{
			Name: "add",
			Text: `Record what you bought on 2024-07-05: description "Bookshop", 42.50 to the account expenses:books, paid from assets:checking.`,
			Done: func(p *ground.Place) (bool, error) {
				return booked.MatchString(p.File("home.journal")), nil
			},
		},
		{
			Name: "find",
			Text: "Find out how much the dentist cost in May 2023.",
			Seen: &ground.Sight{Selector: "tr", Text: `Dentist[\s\S]*186\.40`},
		},
		{
			Name: "correct",
			Text: `The theatre tickets of 12 April 2024 cost 53.00, not 35.00. Correct that in the journal.`,
			Done: func(p *ground.Place) (bool, error) {
				text := p.File("home.journal")
				return corrected.MatchString(text) && strings.Contains(text, "Dentist"), nil
			},
		},
	},
}

var (
	booked    = regexp.MustCompile(`(?i)2024-07-05 .*bookshop\s*\n\s+expenses:books\s+42\.50?\b.*\n\s+assets:checking`)
	corrected = regexp.MustCompile(`2024-04-12 Theatre\n\s+expenses:leisure\s+53(\.00?)?\s*\n`)
)

func journal() string {
	var b strings.Builder
	book := func(date, what, to, from string, cents int) {
		fmt.Fprintf(&b, "%s %s\n    %-24s  %d.%02d\n    %s\n\n", date, what, to, cents/100, cents%100, from)
	}
	book("2023-01-01", "Opening balance", "assets:checking", "equity:opening", 412000)
	for month := range 18 {
		date := func(day int) string { return fmt.Sprintf("%d-%02d-%02d", 2023+month/12, month%12+1, day) }
		book(date(1), "Rent", "expenses:rent", "assets:checking", 98000)
		book(date(3), "Groceries", "expenses:food", "assets:checking", 21000+month*137%4100)
		if month == 4 {
			book(date(9), "Dentist", "expenses:health", "assets:checking", 18640)
		}
		if month == 15 {
			book(date(12), "Theatre", "expenses:leisure", "assets:checking", 3500)
		}
		book(date(14), "Electricity", "expenses:electricity", "assets:checking", 5200+month*211%1900)
		book(date(20), "Groceries", "expenses:food", "assets:checking", 18000+month*251%3900)
		book(date(25), "Salary", "assets:checking", "income:salary", 264000)
	}
	return b.String()
}
