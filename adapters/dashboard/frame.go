package dashboard

import (
	"html/template"
	"net/url"
	"strings"

	"understudy/adapters/service"
)

// Frame is what stands around a page of another front door that somebody looks at who
// has signed in: what its head links, and what comes before and after its content.
func (d *Dashboard) Frame(who service.Principal, path string) (links, before, after template.HTML, err error) {
	part := func(name string) (out template.HTML) {
		var text strings.Builder
		if err == nil {
			err = d.pages["message"].ExecuteTemplate(&text, name, view{Who: &who, Path: path})
		}
		return template.HTML(text.String()) // what the template has escaped
	}
	return part("frame-links"), part("frame-before"), part("after"), err
}

// SignInURL is where people sign in, and from where they come back to a path.
func (*Dashboard) SignInURL(back string) string {
	return "/sign-in?" + url.Values{"next": {back}}.Encode()
}

// Asset is the address of a script or style that pages load.
func (d *Dashboard) Asset(name string) string { return d.assets[name].path }
