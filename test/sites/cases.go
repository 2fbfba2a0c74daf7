package sites

import (
	"slices"
	"strings"
)

// where tells at which place of a site each kind is tried.
var where = []struct {
	kind string
	at   func(anchors) spot
}{
	{"low_contrast", anchors.atLink}, {"small_target", anchors.atLink}, {"vague_label", anchors.atLink}, {"icon_only", anchors.atLink},
	{"competing_labels", anchors.atLink}, {"below_the_fold", anchors.atLink}, {"hidden_in_menu", anchors.atLink},
	{"covered", anchors.atSend}, {"interruption", anchors.atPage}, {"dead_control", anchors.atSend}, {"script_error", anchors.atSend},
	{"broken_link", anchors.atLink}, {"server_error", anchors.atForm}, {"slow_page", anchors.atPage},
	{"unlabelled_field", anchors.atField}, {"format_rejected", anchors.atStrict}, {"unspecific_error", anchors.atStrict},
	{"input_lost", anchors.atField}, {"disabled_submit", anchors.atSend}, {"forced_account", anchors.atGate},
	{"wall_of_text", anchors.atText}, {"jargon", anchors.atPlain}, {"dead_end", anchors.atLink}, {"redirect_loop", anchors.atLink},
	{"mouse_only", anchors.atLink}, {"layout_shift", anchors.atPage}, {"late_cost", anchors.atLast}, {"needless_field", anchors.atNeedless},
	// Once more, at the other kind of control.
	{"low_contrast", anchors.atSend}, {"dead_control", anchors.atLink}, {"mouse_only", anchors.atSend},
}

func (a anchors) atLink() spot   { return a.link }
func (a anchors) atSend() spot   { return a.send }
func (a anchors) atForm() spot   { return a.form }
func (a anchors) atPage() spot   { return a.page }
func (a anchors) atField() spot  { return a.field }
func (a anchors) atStrict() spot { return a.strict }
func (a anchors) atGate() spot   { return a.gate }
func (a anchors) atText() spot   { return a.text }
func (a anchors) atPlain() spot  { return a.plain }
func (a anchors) atLast() spot   { return a.last }

// atNeedless is the form with the field that is added to it.
func (a anchors) atNeedless() spot {
	s := a.form
	if a.field.task == "" {
		s.task = "" // a form of one button has no room for a field
	}
	s.selector = "#national-insurance"
	return s
}

// senseless are combinations of kind and site that no developer would get wrong
// that way, or that are none.
var senseless = map[string]string{
	"needless_field/" + Bank: "a bank may ask for it",
	"jargon/" + Bank:         "the page is a list of facts and one sentence",
}

// devices are those that every fault is real on.
var devices = []string{"desktop", "mobile"}

// Cases lists all faulty variants: each kind at its place on every site that has
// one, then pages with several faults and with decoys. The order is fixed.
func Cases() []Case {
	var out []Case
	seen := map[string]int{}
	for _, w := range where {
		for _, site := range Names() {
			s := w.at(places[site])
			if s.task == "" || senseless[w.kind+"/"+site] != "" {
				continue
			}
			c := Case{Name: site + "-" + s.task + "-" + w.kind, Site: site, Task: s.task, Faults: []Fault{s.with(w.kind)}, Viewports: devices}
			if seen[w.kind+"/"+site]++; seen[w.kind+"/"+site] > 1 {
				c.Name += "-2"
			}
			out = append(out, c)
		}
	}
	return append(out, mixed()...)
}

// with is a fault of a kind at the spot.
func (s spot) with(kind string) Fault {
	f := Fault{Kind: kind, Path: s.path, Selector: s.selector}
	if kind == "low_contrast" {
		f.Background = s.background
	}
	return f
}

// mixes are the kinds that lie together on a way, as far as the site has places
// for them that belong to one task.
var mixes = [][]string{
	{"low_contrast", "slow_page"},
	{"vague_label", "layout_shift"},
	{"dead_control", "interruption", "wall_of_text"},
	{"format_rejected", "late_cost"},
	{"unlabelled_field", "input_lost"},
	{"competing_labels", "below_the_fold", "needless_field", "late_cost"},
	{"small_target", "format_rejected", "needless_field", "forced_account", "layout_shift"},
}

// mixed lists the cases with two to five faults, each with decoys around them.
func mixed() []Case {
	var out []Case
	for i, kinds := range mixes {
		for _, site := range Names() {
			task := ""
			var faults []Fault
			var used []string
			for _, k := range kinds {
				s := spotOf(k, site)
				if s.task == "" || task != "" && s.task != task || senseless[k+"/"+site] != "" {
					continue
				}
				if clash(faults, s) {
					continue
				}
				task = s.task
				faults = append(faults, s.with(k))
				used = append(used, k)
			}
			if len(faults) < 2 {
				continue
			}
			out = append(out, Case{
				Name: site + "-" + task + "-" + strings.Join(used, "+"), Site: site, Task: task, Faults: faults,
				Decoys: decoysFor(site, task, i), Viewports: devices,
			})
		}
	}
	return out
}

// spotOf is the first place of a kind on a site.
func spotOf(kind, site string) spot {
	for _, w := range where {
		if w.kind == kind {
			return w.at(places[site])
		}
	}
	return spot{}
}

// clash: another fault already changes that element.
func clash(faults []Fault, s spot) bool {
	return s.selector != "" && slices.ContainsFunc(faults, func(f Fault) bool { return f.Path == s.path && f.Selector == s.selector && !f.OnPage() })
}

// decoysFor chooses harmless changes on and beside the way of a task; n varies
// them.
func decoysFor(site, task string, n int) []Fault {
	a := places[site]
	on := a.page.path
	for _, s := range []spot{a.link, a.form, a.text} {
		if s.task == task {
			on = s.path
		}
	}
	all := []Fault{
		{Kind: "ornament", Path: on}, {Kind: "inline_link", Path: on}, {Kind: "console_warning", Path: on}, {Kind: "lost_beacon", Path: on},
		{Kind: "plain_picture", Path: on}, {Kind: "long_terms", Path: a.away}, {Kind: "reworded_footer", Path: on},
	}
	if a.link.task == task {
		all = append(all, Fault{Kind: "second_link", Path: a.link.path, Selector: a.link.selector})
	}
	if a.form.task == task && a.field.task != "" {
		all = append(all, Fault{Kind: "hidden_field", Path: a.form.path, Selector: a.form.selector}, Fault{Kind: "waiting_button", Path: a.form.path, Selector: a.form.selector})
	}
	var out []Fault
	for i := range 3 {
		out = append(out, all[(n*3+i)%len(all)])
	}
	return out
}
