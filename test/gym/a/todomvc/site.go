// Package todomvc is a list of things to do that lives in the browser alone.
package todomvc

import (
	"fmt"

	"understudy/test/gym/ground"
)

const spec = "todomvc@0.1.1"

// Site is an empty list.
var Site = ground.Site{
	Name: "todomvc", Kind: "to-do", What: "TodoMVC 0.1.1, the Backbone one (npm)", Licence: "MIT", Static: true,
	NPM:  []string{spec},
	Open: ground.Files(ground.Package(spec)),
	Tasks: []ground.Task{
		{
			Name: "add", At: "examples/backbone/",
			Text: `Put two things on the list: "Call the plumber" and "Water the plants".`,
			Seen: is(`t.length == 2 && t.some(x => /call the plumber/i.test(x.title)) && t.some(x => /water the plants/i.test(x.title))`),
		},
		{
			Name: "done", At: "examples/backbone/",
			Text: `Put "Pay the rent" and "Buy stamps" on the list, and tick off "Pay the rent", which is done.`,
			Seen: is(`t.length == 2 && t.every(x => x.completed === /rent/i.test(x.title))`),
		},
		{
			Name: "rename", At: "examples/backbone/",
			Text: `Put "Visit Anna" on the list. Then change it to "Visit Anna on Sunday".`,
			Seen: is(`t.length == 1 && /^visit anna on sunday$/i.test(t[0].title) && sessionStorage.gym`),
		},
	},
}

// is looks at what the list keeps in the browser; sessionStorage.gym remembers
// that an entry was there under its first name.
func is(condition string) *ground.Sight {
	return &ground.Sight{Script: fmt.Sprintf(`(() => {
		const t = (localStorage['todos-backbone'] || '').split(',').filter(Boolean).map(id => JSON.parse(localStorage['todos-backbone-' + id]));
		if (t.some(x => /^visit anna$/i.test(x.title))) sessionStorage.gym = 1;
		return %s;
	})()`, condition)}
}
