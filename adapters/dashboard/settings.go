package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
)

// placed is a thing and the environment that it is in.
type placed[T any] struct {
	Environment domain.Environment
	Doc         T
}

// Sandbox: the thing is one of the sandbox.
func (p placed[T]) Sandbox() bool { return p.Environment == domain.Sandbox }

// in is somebody as one who looks into an environment.
func in(who service.Principal, env domain.Environment) service.Principal {
	who.Environment = env
	return who
}

// either reads a thing in the environment that is looked at or, where it is not there,
// in the other one, and tells as whom it is found.
func either[T any](
	ctx context.Context, who service.Principal, id string, read func(context.Context, service.Principal, string) (projections.Document[T], error),
) (doc projections.Document[T], as service.Principal, err error) {
	as, doc, err = inEither(who, func(p service.Principal) (projections.Document[T], error) { return read(ctx, p, id) })
	return doc, as, err
}

// inBoth lists things of both environments or, where one is given, of that one, the
// newest first.
func inBoth[T any](
	ctx context.Context, who service.Principal, only string, q service.Query, list func(context.Context, service.Principal, service.Query) (service.Page[T], error),
) (out []placed[T], next string, err error) {
	type entry struct {
		id string
		placed[T]
	}
	var all []entry
	more := false
	for _, env := range []domain.Environment{domain.Live, domain.Sandbox} {
		if only != "" && only != string(env) {
			continue
		}
		page, err := list(ctx, in(who, env), q)
		if err != nil {
			return nil, "", err
		}
		more = more || page.Next != ""
		for _, item := range page.Items {
			doc, err := item.Decode()
			if err != nil {
				return nil, "", err
			}
			all = append(all, entry{item.ID, placed[T]{env, doc}})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(b.id, a.id) })
	if len(all) > q.Limit {
		all, more = all[:q.Limit], true
	}
	for _, e := range all {
		out, next = append(out, e.placed), e.id
	}
	if !more {
		next = ""
	}
	return out, next, nil
}

// callIn is a call of somebody, in the environment that they look into.
func (d *Dashboard) callIn(r *http.Request, who service.Principal) (service.Call, error) {
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	call.Meta.Environment = who.Environment
	return call, err
}

// newID is an id for what a page makes.
func newID(prefix string) string { return domain.FormatID(prefix, uuid.Must(uuid.NewV7())) }

// people are the members of an organization by their ids.
func (d *Dashboard) people(ctx context.Context, who service.Principal) (map[string]service.MemberDocument, error) {
	page, err := d.Team.Members(ctx, who, service.Query{Limit: shown})
	if err != nil {
		return nil, err
	}
	all, err := decoded(page)
	byID := map[string]service.MemberDocument{}
	for _, m := range all {
		byID[m.ID] = m
	}
	return byID, err
}

// environmentOf is what a form or a query says of where, "" for nothing that is known.
func environmentOf(text string) string {
	if env := domain.Environment(text); env == domain.Live || env == domain.Sandbox {
		return text
	}
	return ""
}

// plain writes a name of the interface in words: "task_completion" is "Task completion".
func plain(name string) string {
	return strings.ReplaceAll(capital(strings.ReplaceAll(name, "_", " ")), "Cta ", "CTA ")
}

// cut is the beginning of a text, for where there is room for no more.
func cut(text string) string {
	const most = 160
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
