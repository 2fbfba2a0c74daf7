package task

import (
	"fmt"
	"strings"
	"testing"

	"understudy/domain/language"
)

// told is a subgoal in one line: kind and deed, then what is set of the rest.
func told(s Subgoal) string {
	var b strings.Builder
	b.WriteString(string(s.Kind))
	add := func(name, value string) {
		if value != "" && value != "0" && value != "false" {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	lemmas := func(words []language.Word) string {
		var out []string
		for _, w := range words {
			out = append(out, w.Lemma)
		}
		return strings.Join(out, "+")
	}
	add("deed", s.Deed)
	add("about", lemmas(s.Object))
	add("in", lemmas(s.Place))
	add("named", s.Literal)
	add("widget", s.Widget)
	add("nth", fmt.Sprint(s.Ordinal))
	add("count", fmt.Sprint(s.Count))
	add("order", s.Order)
	add("answer", string(s.Answer))
	add("howto", fmt.Sprint(s.Howto))
	for _, v := range s.Values {
		name := "value"
		for _, f := range []struct {
			is   bool
			name string
		}{{v.Choose, "choose"}, {v.Old, "old"}, {v.New, "new"}, {v.Both, "both"}, {v.Input != "", "secret"}} {
			if f.is {
				name = f.name
			}
		}
		if v.Kind != "" {
			name += "(" + v.Kind + ")"
		}
		add(name, v.Text+v.Input)
	}
	return b.String()
}

func TestTasksAreReadAsPeopleMeanThem(t *testing.T) {
	for _, c := range []struct {
		task string
		want []string
	}{
		{"Find out how much children pay for a day ticket.", []string{"inform about=child+pay+day+ticket answer=money"}},
		{"Find out who the secretary of the choir is.", []string{"inform about=secretary+choir answer=person"}},
		{"In which town is the workshop?", []string{"inform about=workshop answer=place"}},
		{"Find out the salary of the engineer Mona Keller.", []string{"inform about=salary+engineer+mona+keller answer=money"}},
		{"Look up in the handbook what a quorum is.", []string{"inform about=quorum in=handbook"}},
		{"Find out whether the order 4711 was shipped.", []string{"inform about=order+4711+ship answer=state"}},
		{"Find out how to renew a passport", []string{"inform about=renew+passport howto=true"}},
		{"Open the details of the house called \"Lakeside\"", []string{"reach about=house named=Lakeside widget=documentation"}},
		{"Find the documentation of os.Rename", []string{"reach about=os.rename widget=documentation"}},
		{"Click on the \"Back\" button.", []string{"act deed=click named=Back widget=button"}},
		{"Press the button.", []string{"act deed=click widget=button"}},
		{"Click Finish", []string{"act deed=click named=Finish"}},
		{"Click on Tab #4.", []string{"act deed=click named=Tab #4 widget=tab"}},
		{"Select Anna, Bo and click Done.", []string{"act deed=choose choose=Anna choose=Bo", "act deed=click named=Done"}},
		{"Enter the password \"x7\" into both text fields and press send.", []string{"act deed=type widget=textbox both(password)=x7", "act deed=click named=send"}},
		{"Put \"Salt\" on the list. Then change it to \"Sea salt\".", []string{"act deed=create value(text)=Salt", "act deed=edit old=Salt new=Sea salt"}},
		{"Rename the list \"Trip\" to \"Holiday\"", []string{"act deed=rename widget=list old=Trip new=Holiday"}},
		{"Log in with the e-mail address ada@example.org and the password Moon-17", []string{"act deed=login value(email)=ada@example.org value(password)=Moon-17"}},
		{"Delete the message from Tom", []string{"act deed=delete about=message in=tom widget=message"}},
		{"Turn on the dark theme.", []string{"act deed=on about=dark+theme"}},
		{"Add the sentence \"No dogs.\" to the page about the rules and save the page.", []string{"act deed=edit in=rule widget=page value(text)=No dogs.", "act deed=save widget=page"}},
	} {
		g := Parse(c.task, nil)
		var got []string
		for _, s := range g.Subgoals {
			got = append(got, told(s))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", c.task, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "Click", "“", "Find out", "and and and", "{{x}} \"", "1st 2nd", "to to to", "Its {{x}} is .", "Ada's is it", "let it be", `put "a" into this`, "I want to", "from 1 to 2", "as we", "\xff\n.", "Select a, b, c", `Add " "`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g := Parse(s, nil)
		if n := len(g.Subgoals); n < 1 || n > maxSubgoals {
			t.Fatalf("%d subgoals", n)
		}
		for _, v := range g.Values {
			if (v.Text == "") == (v.Input == "") {
				t.Fatalf("%+v", v)
			}
		}
		for i := range g.Subgoals {
			g.Subgoals[i].Wanted()
			g.Subgoals[i].Plain()
		}
	})
}
