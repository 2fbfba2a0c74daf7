package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/personas"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// Histories is the use cases of what was recorded.
type Histories interface {
	Events(ctx context.Context, p service.Principal, id string, q service.History) (service.HistoryPage, error)
	TestAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[tests.Document], error)
	SessionAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[sessions.Document], projections.Document[sessions.Trace], error)
	DeliveryAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[deliveries.Document], error)
	WebhookAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[webhooks.Document], error)
	PersonaAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[personas.Document], error)
	KeyAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[service.KeyDocument], error)
}

// kept is a kind of thing whose history can be read, by the prefix of its ids.
type kept struct {
	Name string
	// needs is the operation of the interface that shows the same.
	needs string
	// page is where the thing itself is shown.
	page string
	// asOf is the thing as of a moment, nil where that is not kept.
	asOf func(h Histories, ctx context.Context, p service.Principal, id string, at service.Moment) (doc json.RawMessage, revision uint64, err error)
}

// kinds are all. Nothing is told of people here but what the access log tells.
var kinds = map[string]kept{
	domain.PrefixTest:     {"Test", "listTestEvents", "/tests/", text(Histories.TestAsOf)},
	domain.PrefixWebhook:  {"Webhook", "listWebhookEvents", "/webhooks/", text(Histories.WebhookAsOf)},
	domain.PrefixDelivery: {"Delivery", "listDeliveryEvents", "/deliveries/", text(Histories.DeliveryAsOf)},
	domain.PrefixKey:      {"API key", "listKeyEvents", "/keys/", text(Histories.KeyAsOf)},
	domain.PrefixPersona:  {"Persona", "getPersona", "/personas/", text(Histories.PersonaAsOf)},
	domain.PrefixClient:   {"Application", "getOAuthClient", "/clients/", nil},
	domain.PrefixSession: {"Session", "listSessionEvents", "/sessions/",
		func(h Histories, ctx context.Context, p service.Principal, id string, at service.Moment) (json.RawMessage, uint64, error) {
			doc, _, err := h.SessionAsOf(ctx, p, id, at)
			return doc.JSON, doc.Revision, err
		}},
}

// text is a use case that answers with a document of some type, as one that answers with its text.
func text[T any](asOf func(Histories, context.Context, service.Principal, string, service.Moment) (projections.Document[T], error)) func(Histories, context.Context, service.Principal, string, service.Moment) (json.RawMessage, uint64, error) {
	return func(h Histories, ctx context.Context, p service.Principal, id string, at service.Moment) (json.RawMessage, uint64, error) {
		doc, err := asOf(h, ctx, p, id, at)
		return doc.JSON, doc.Revision, err
	}
}

// kindOf is the kind of a thing that somebody may read the history of.
func kindOf(who service.Principal, id string) (kept, error) {
	prefix, _, _ := strings.Cut(id, "_")
	kind, known := kinds[prefix]
	if !known || !domain.ValidID(prefix, id) {
		return kind, domain.Refuse(domain.CodeNotFound, "there is nothing with this id that has a history")
	}
	if access.Operations[kind.needs].Decide(who.Scopes, who.Role, true) != access.Permitted {
		return kind, domain.Refuse(domain.CodeForbidden, "your role in the organization does not permit this")
	}
	return kind, nil
}

// historyRoutes are the pages of what was recorded.
func (d *Dashboard) historyRoutes() map[string]signedIn {
	return map[string]signedIn{
		"GET /history/{id}": d.history, "GET /history": d.findHistory,
		"GET /audit": d.audit, "POST /audit": d.checkAudit, "GET /audit/proof": d.proof,
	}
}

// historyPage is what was recorded of a thing.
type historyPage struct {
	ID, Kind, Page string
	Events         []pastEvent
	// Last is the revision of its last event.
	Last uint64
	// Oldest: the first event stands first. Turned is the address of the other order,
	// Next of where the list goes on, "" at its end.
	Oldest       bool
	Turned, Next string
	// CanLook: what it was like can be looked at; Then is that, nil for as of now.
	CanLook bool
	Then    *asOfThen
}

// pastEvent is an event in words.
type pastEvent struct {
	Deed string
	At   string
	// Who has done it, From what it came to them by.
	Who, From          string
	Type, Data         string
	Revision, Position uint64
	ID, Stream         string
	// Look is the address of what was there after it, Proof that of its proof.
	Look, Proof string
	Chosen      bool
}

// asOfThen is a thing as of an event, beside what it is now.
type asOfThen struct {
	Revision, Position uint64
	At                 string
	Changed, Same      []field
	// Gone says why there is nothing to see, "" where there is.
	Gone           string
	Earlier, Later string
}

// pageful is how many events a page shows.
const pageful = 50

func (d *Dashboard) findHistory(w http.ResponseWriter, r *http.Request, _ service.Principal) {
	http.Redirect(w, r, "/history/"+url.PathEscape(strings.TrimSpace(r.URL.Query().Get("id"))), http.StatusSeeOther)
}

func (d *Dashboard) history(w http.ResponseWriter, r *http.Request, who service.Principal) {
	id, query := r.PathValue("id"), r.URL.Query()
	if prefix, _, _ := strings.Cut(id, "_"); prefix == domain.PrefixUser && who.Role.May(access.Team) {
		http.Redirect(w, r, "/log?"+url.Values{"actor": {id}}.Encode(), http.StatusSeeOther)
		return
	}
	kind, err := kindOf(who, id)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page := historyPage{ID: id, Kind: kind.Name, Page: kind.page + id, Oldest: query.Get("order") == "asc", CanLook: kind.asOf != nil}
	var listed service.HistoryPage
	who, listed, err = inEither(who, func(p service.Principal) (service.HistoryPage, error) {
		return d.Histories.Events(r.Context(), p, id, service.History{Limit: 1, Backwards: true})
	})
	if err == nil {
		for _, e := range listed.Events {
			page.Last = e.Revision
		}
		q := service.History{Limit: pageful, Backwards: !page.Oldest}
		if from, err := strconv.ParseUint(query.Get("from"), 10, 64); err == nil {
			from = min(from, page.Last)
			q.From = &from
		}
		listed, err = d.Histories.Events(r.Context(), who, id, q)
	}
	if err == nil && page.CanLook {
		page.Then, err = d.then(r.Context(), who, kind, id, query, page.Last)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.tell(r, who, &page, listed, query)
	v := view{Title: "History of " + id, Who: &who, Data: page}
	if asked(r) {
		d.part(w, r, "history", "then", v)
		return
	}
	d.show(w, r, http.StatusOK, "history", v)
}

// tell puts the events of a page into words.
func (d *Dashboard) tell(r *http.Request, who service.Principal, page *historyPage, listed service.HistoryPage, query url.Values) {
	names := map[string]string{}
	if members, err := d.Team.Members(r.Context(), who, service.Query{Limit: shown}); err == nil {
		if all, err := decoded(members); err == nil {
			for _, m := range all {
				names[m.ID] = m.Name
			}
		}
	}
	to := func(set ...string) string {
		kept := url.Values{}
		for _, name := range []string{"order", "from", "at"} {
			if value := query.Get(name); value != "" {
				kept.Set(name, value)
			}
		}
		for i := 0; i < len(set); i += 2 {
			if kept.Set(set[i], set[i+1]); set[i+1] == "" {
				kept.Del(set[i])
			}
		}
		return "/history/" + page.ID + "?" + kept.Encode()
	}
	page.Turned = to("order", choose(page.Oldest, "", "asc"), "from", "")
	if listed.Next != nil {
		page.Next = to("from", strconv.FormatUint(*listed.Next, 10))
	}
	for _, e := range listed.Events {
		told := tellEvent(e, names)
		if page.CanLook {
			told.Look = to("at", strconv.FormatUint(e.Position, 10)) + "#then"
		}
		told.Proof = "/audit/proof?" + url.Values{"stream": {e.Stream}, "revision": {strconv.FormatUint(e.Revision, 10)}}.Encode()
		told.Chosen = page.Then != nil && page.Then.Revision == e.Revision
		page.Events = append(page.Events, told)
	}
	if then := page.Then; then != nil {
		if then.Revision > 0 {
			then.Earlier = to("at", "", "event", strconv.FormatUint(then.Revision-1, 10)) + "#then"
		}
		if then.Revision < page.Last {
			then.Later = to("at", "", "event", strconv.FormatUint(then.Revision+1, 10)) + "#then"
		}
	}
}

// tellEvent puts an event into words, with the names of those who are members.
func tellEvent(e eventstore.Raw, names map[string]string) pastEvent {
	var meta domain.Meta
	_ = json.Unmarshal(e.Metadata, &meta) // what cannot be read says nothing
	told := pastEvent{
		Deed: deed(e), At: domain.At(e.Created).String(), Type: e.Type, Revision: e.Revision, Position: e.Position, ID: e.ID.String(), Stream: e.Stream,
		Who: names[meta.Actor],
	}
	prefix, _, _ := strings.Cut(meta.Actor, "_")
	switch {
	case told.Who != "":
	case meta.Actor == "" || prefix == "process" || !strings.Contains(meta.Actor, "_") && !strings.Contains(meta.Actor, "@"):
		if told.Who = "The service"; meta.Actor != "" {
			told.Who += " (" + spaced(strings.TrimPrefix(meta.Actor, "process:")) + ")"
		}
	case prefix == domain.PrefixKey:
		told.Who = "The key " + meta.Actor
	default:
		told.Who = meta.Actor
	}
	var from []string
	if meta.KeyID != "" && meta.KeyID != meta.Actor {
		from = append(from, "with "+meta.KeyID)
	}
	if meta.RequestID != "" {
		from = append(from, "by request "+meta.RequestID)
	}
	if meta.Address != "" {
		from = append(from, "from an address that the access log tells")
	}
	if meta.Reason != "" {
		from = append(from, "reason: “"+meta.Reason+"”")
	}
	told.From = strings.Join(from, ", ")
	told.Data = pretty(e.Data)
	return told
}

// pretty is recorded data as text.
func pretty(data []byte) string {
	var out bytes.Buffer
	switch {
	case json.Indent(&out, data, "", "  ") == nil && utf8.Valid(data):
		return out.String()
	case utf8.Valid(data):
		return string(data)
	}
	return "bytes that are no text"
}

// then is a thing as of the event that a query names by its number or by a position.
func (d *Dashboard) then(ctx context.Context, who service.Principal, kind kept, id string, query url.Values, last uint64) (*asOfThen, error) {
	event, position := query.Get("event"), query.Get("at")
	if event == "" && position == "" {
		return nil, nil
	}
	var chosen *eventstore.Raw
	if revision, err := strconv.ParseUint(event, 10, 64); err == nil {
		revision = min(revision, last)
		page, err := d.Histories.Events(ctx, who, id, service.History{Limit: 1, From: &revision})
		if err != nil {
			return nil, err
		}
		if len(page.Events) > 0 {
			chosen = &page.Events[0]
		}
	}
	at := service.Moment{}
	switch {
	case chosen != nil:
		at.Position = chosen.Position
	default:
		var err error
		if at.Position, err = strconv.ParseUint(position, 10, 63); err != nil {
			if at.Time, err = time.Parse(time.RFC3339Nano, position); err != nil {
				return nil, domain.Refuse(domain.CodeNotFound, "at is neither a position of the log nor a time")
			}
		}
	}
	out := &asOfThen{Position: at.Position}
	doc, revision, err := kind.asOf(d.Histories, ctx, who, id, at)
	if domain.CodeOf(err) == domain.CodeNotFound {
		out.Gone = capital(err.Error())
		_, out.Gone, _ = strings.Cut(out.Gone, ": ")
		out.Gone = capital(out.Gone) + "."
		if chosen != nil {
			out.Revision, out.At = chosen.Revision, domain.At(chosen.Created).String()
		}
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Revision = revision
	if page, err := d.Histories.Events(ctx, who, id, service.History{Limit: 1, From: &revision}); err == nil && len(page.Events) > 0 {
		out.Position, out.At = page.Events[0].Position, domain.At(page.Events[0].Created).String()
	}
	now, _, err := kind.asOf(d.Histories, ctx, who, id, service.Moment{Time: time.Now().Add(time.Hour)})
	if err != nil && domain.CodeOf(err) != domain.CodeNotFound {
		return nil, err
	}
	out.Changed, out.Same, err = sideBySide(doc, now)
	return out, err
}
