package mind

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseTask(t *testing.T) {
	t.Parallel()
	type sub struct {
		kind   Kind
		verb   string
		object string
	}
	cases := []struct {
		task string
		want []sub
	}{
		{"Sign up for a free account", []sub{{Act, "signup", "free account"}}},
		{"Please create an account", []sub{{Act, "signup", ""}}},
		{"As a new user, I want to register for the newsletter", []sub{{Act, "subscribe", "newsletter"}}},
		{"Buy a red lamp", []sub{{Act, "buy", "red lamp"}}},
		{"find out how to undo the last commit", []sub{{Inform, "undo", "last commit"}}},
		{"find out how to compile SQLite", []sub{{Inform, "compile", "sqlite"}}},
		{"find out how to make coffee", []sub{{Inform, "", "coffee"}}},
		{"find out which services the company offers", []sub{{Inform, "", "service"}}},
		{"find out what the company is about", []sub{{Inform, "", "about"}}},
		{"find out what the company does", []sub{{Inform, "", "about"}}},
		{"find out what the return policy is about", []sub{{Inform, "", "return policy"}}},
		{"find out what the company offers", []sub{{Inform, "", "company offer"}}},
		{"find out how to contact the company", []sub{{Inform, "contact", "company"}}},
		{"How much does the Pro plan cost?", []sub{{Inform, "", "pro plan cost"}}},
		{"Find the pricing page", []sub{{Reach, "", "pricing"}}},
		{"Add a blue vase to the cart and check out", []sub{{Act, "addcart", "blue vase cart"}, {Act, "checkout", ""}}},
		{"Log in with {{email}} and {{password}}, then download the invoice.", []sub{{Act, "login", ""}, {Act, "download", "invoice"}}},
		{"accept the terms and conditions", []sub{{Act, "accept", "term condition"}}},
		{"search for \"garden chairs\"", []sub{{Act, "search", "garden chair"}}},
		{"Pre-order a Seeded Sourdough for tomorrow morning", []sub{{Act, "buy", "seeded sourdough"}}},
		{"cancel my subscription", []sub{{Act, "cancel", "subscription"}}},
		{"log out", []sub{{Act, "logout", ""}}},
		{"", []sub{{Reach, "", ""}}},
		{"🙂", []sub{{Reach, "", ""}}},
	}
	for _, c := range cases {
		var got []sub
		for _, s := range ParseTask(c.task, nil).Subgoals {
			got = append(got, sub{s.Kind, s.Verb, strings.Join(s.Object, " ")})
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q\n got %v\nwant %v", c.task, got, c.want)
		}
	}
}

func TestParseTaskTakesValues(t *testing.T) {
	t.Parallel()
	g := ParseTask(`Sign up with the email ada@example.com and the password {{ secret }} as "Ada Lovelace"`, []string{"secret"})
	if len(g.Subgoals) != 1 || g.Subgoals[0].Verb != "signup" {
		t.Errorf("subgoals %+v", g.Subgoals)
	}
	want := []Value{{Text: "ada@example.com"}, {Input: "secret"}, {Text: "Ada Lovelace"}}
	if len(g.Values) != len(want) {
		t.Fatalf("values %+v", g.Values)
	}
	for i, v := range g.Values {
		if v.Text != want[i].Text || v.Input != want[i].Input {
			t.Errorf("value %d is %+v, want %+v", i, v, want[i])
		}
	}
}

func FuzzParseTask(f *testing.F) {
	f.Add("Buy a \"red lamp\" and {{x}} then, log in")
	f.Add("''\"{{}}")
	f.Fuzz(func(t *testing.T, task string) {
		g := ParseTask(task, nil)
		if len(g.Subgoals) == 0 {
			t.Error("no subgoal")
		}
	})
}

func TestScentOrdersLabels(t *testing.T) {
	t.Parallel()
	cases := []struct{ task, better, worse string }{
		{"sign up", "Create account", "Log in"},
		{"sign up", "Join now", "Pricing"},
		{"log in", "Sign in", "Sign up"},
		{"buy a red lamp", "Red lamp", "Blue lamp"},
		{"buy a red lamp", "Blue lamp", "Contact"},
		{"buy a red lamp", "Shop", "Careers"},
		{"contact the company", "Get in touch", "About us"},
		{"contact the company", "About us", "Terms of service"},
		{"find out how to undo the last commit", "git-revert(1) Revert some existing commits", "git-commit(1) Record changes"},
		{"subscribe to the newsletter", "Subscribe", "Unsubscribe"},
		{"create a project", "New project", "Delete project"},
		{"find the pricing page", "Plans", "Blog"},
		{"find out what shipping costs", "Delivery", "Returns"},
	}
	for _, c := range cases {
		s := &ParseTask(c.task, nil).Subgoals[0]
		b, w := analyse(c.better), analyse(c.worse)
		if sb, sw := similarity(s, &b), similarity(s, &w); sb <= sw {
			t.Errorf("%s: %q %.2f is not above %q %.2f", c.task, c.better, sb, c.worse, sw)
		}
	}
}

func TestOppositeAndDestructiveLabelsHaveNoScent(t *testing.T) {
	t.Parallel()
	for task, label := range map[string]string{
		"sign up": "Log in", "subscribe to the newsletter": "Unsubscribe", "buy a lamp": "Remove lamp", "save the draft": "Cancel",
	} {
		s := &ParseTask(task, nil).Subgoals[0]
		w := analyse(label)
		if got := similarity(s, &w); got != 0 {
			t.Errorf("%s: %q smells %.2f", task, label, got)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"What's New? E-mail us!": {"what", "new", "e", "mail", "us"},
		"don’t  Größe 50%":       {"dont", "größe", "50"},
		"":                       {},
		"''":                     {},
	}
	for in, want := range cases {
		if got := tokens(in); !reflect.DeepEqual(got, want) {
			t.Errorf("tokens(%q) = %q, want %q", in, got, want)
		}
	}
}

// A shop that the task gives a name is one of several, and its word tells.
func TestNamedOnesAreNotTheSitesOwner(t *testing.T) {
	t.Parallel()
	start := pageOf(heading1("Bread for everybody"), a("Our shops", "/shops"))
	for task, want := range map[string]float64{
		"Find out at what time the Mill Lane shop opens on Sunday": 1,
		"Find out at what time the shop opens on Sunday":           vagueWeight,
		"Buy something in the shop":                                1,
	} {
		g := ParseTask(task, nil)
		g.adapt(&start)
		for _, term := range g.Subgoals[0].terms {
			if term.base == "shop" && term.weight != want {
				t.Errorf("%s: shop weighs %v, want %v", task, term.weight, want)
			}
		}
	}
}
