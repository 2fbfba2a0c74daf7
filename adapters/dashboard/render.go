package dashboard

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
)

//go:embed pages/*.html
var pageFiles embed.FS

var words = template.FuncMap{
	"when": func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") },
	"rfc":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	// within is a view of a part of a page, for parts that are shown alone as well.
	"within":  func(v view, data any) view { v.Data = data; return v },
	"browser": browserWords,
	"meaning": func(scope string) string { return meanings[scope] },
	"role":    func(r access.Role) string { return roleWords[r] },
	// draft tells a form from others of the same content.
	"draft":   uuid.NewString,
	"capital": capital, "plain": plain, "count": countWords, "number": grouped, "limits": limitWords, "cut": cut,
}

var roleWords = map[access.Role]string{
	access.Viewer: "Viewer", access.Member: "Member", access.CICD: "CI/CD", access.Admin: "Admin", access.Owner: "Owner",
}

// meanings say what scopes let an application do.
var meanings = map[string]string{
	access.TestsRead: "see tests", access.TestsWrite: "start and cancel tests", access.ReportsRead: "read reports",
	access.PersonasWrite: "change personas", access.Full: "do everything that you may do",
}

// parse reads all pages by their names, each with the layout of all and the parts that
// pages share, which begin with an underscore. A page that is shown in parts defines them.
func (d *Dashboard) parse() map[string]*template.Template {
	files, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		panic("dashboard: the pages: " + err.Error()) // they are embedded
	}
	of := template.FuncMap{"asset": func(name string) string { return d.assets[name].path }}
	all := map[string]*template.Template{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "base" || strings.HasPrefix(name, "_") {
			continue
		}
		all[name] = template.Must(template.New("base.html").Funcs(words).Funcs(resultWords).Funcs(of).ParseFS(pageFiles, "pages/base.html", "pages/_*.html", file))
	}
	return all
}

// view is a page's content.
type view struct {
	Title string
	// Path is the page's own, for the navigation.
	Path string
	// Who is signed in, nil for nobody.
	Who  *service.Principal
	Name string
	// Wide: the page takes all the room also for nobody.
	Wide bool
	// Note is what has just been done, Alert what went wrong, Faults what is wrong
	// with which field.
	Note, Alert string
	Faults      map[string]string
	// Form is what was filled in.
	Form url.Values
	Data any
}

// Team reports whether who is signed in may manage people.
func (v view) Team() bool { return v.Who != nil && v.Who.Role.May(access.Team) }

// show answers with a page.
func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	if v.Note == "" && status == http.StatusOK {
		v.Note = d.sessions.PopString(r.Context(), keyNote)
	}
	d.write(w, r, status, page, "base.html", v)
}

// part answers with a part of a page, for what htmx puts in its place.
func (d *Dashboard) part(w http.ResponseWriter, r *http.Request, page, part string, v view) {
	d.write(w, r, http.StatusOK, page, part, v)
}

// asked: htmx asks for a part of a page.
func asked(r *http.Request) bool {
	return r.Header.Get("HX-Request") == "true" && r.Header.Get("HX-Boosted") == "" && r.Header.Get("HX-History-Restore-Request") == ""
}

func (d *Dashboard) write(w http.ResponseWriter, r *http.Request, status int, name, part string, v view) {
	v.Path = r.URL.Path
	var page bytes.Buffer
	if err := d.pages[name].ExecuteTemplate(&page, part, v); err != nil {
		d.Logger.Error("page", "template", name, "error", err)
		http.Error(w, "this page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(domain.RetryUnavailable))
	}
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes())
}

// goOn sends the browser on to a page, which then shows a note.
func (d *Dashboard) goOn(w http.ResponseWriter, r *http.Request, to, note string) {
	if note != "" {
		d.sessions.Put(r.Context(), keyNote, note)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// told is what an error says to a visitor. ok is false for what only the log is told.
func told(err error) (code domain.Code, alert string, faults map[string]string, ok bool) {
	refusal, tooMany := (*domain.Error)(nil), (*service.TooManyError)(nil)
	switch {
	case errors.As(err, &tooMany):
		return service.CodeRateLimited, capital(tooMany.Error()) + ".", nil, true
	case !errors.As(err, &refusal):
		return "", "", nil, false
	case refusal.Code == domain.CodeValidationFailed || len(refusal.Fields) > 0:
		faults = map[string]string{}
		for _, f := range refusal.Fields {
			whole, _, part := strings.Cut(f.Field, ".") // of a list, which is one field here
			message := capital(strings.TrimPrefix(f.Message, f.Field+" ")) + "."
			faults[whole] = strings.TrimSpace(faults[whole] + " " + message)
			if part {
				faults[f.Field] = strings.TrimSpace(faults[f.Field] + " " + message)
			}
		}
		return domain.CodeValidationFailed, "Something has to be put right below.", faults, true
	}
	return refusal.Code, capital(refusal.Message) + ".", nil, true
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return string(bytes.ToUpper([]byte(s[:1]))) + s[1:]
}

// again shows a form with what was wrong with it. Passwords are not shown again.
func (d *Dashboard) again(w http.ResponseWriter, r *http.Request, page string, v view, err error) {
	code, alert, faults, ok := told(err)
	if !ok {
		d.fail(w, r, err)
		return
	}
	status, _ := d.Meaning(code)
	v.Alert, v.Faults, v.Form = alert, faults, r.PostForm
	d.show(w, r, status, page, v)
}

// fail answers with what went wrong, and nothing else.
func (d *Dashboard) fail(w http.ResponseWriter, r *http.Request, err error) {
	code, alert, _, ok := told(err)
	if !ok {
		if !errors.Is(r.Context().Err(), context.Canceled) { // nobody waits for it
			d.Logger.Error("page", "path", r.URL.Path, "error", err)
		}
		alert = "Something went wrong on our side. Try again in a moment."
		if d.Unavailable(err) {
			code, alert = domain.CodeUnavailable, "A part of the service is down. Try again in a moment."
		}
	}
	status, title := d.Meaning(code)
	if asked(r) {
		d.write(w, r, status, "message", "failed", view{Alert: alert})
		return
	}
	v := view{Title: title, Alert: alert}
	if who, err := d.SignedIn(r); err == nil {
		v.Who = &who
	}
	d.show(w, r, status, "message", v)
}

// form reads what a page was sent.
func (d *Dashboard) form(w http.ResponseWriter, r *http.Request) bool {
	if err := r.ParseForm(); err != nil {
		d.fail(w, r, domain.Refuse(domain.CodeForbidden, "this form cannot be read"))
		return false
	}
	return true
}
