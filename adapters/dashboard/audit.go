package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/delivery"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// Proofs prove that nothing that was recorded has been changed.
type Proofs interface {
	// Head is the newest signed head.
	Head(ctx context.Context) (SignedHead, error)
	// Kept reads a head that somebody has kept. It is an error when it is not signed by a
	// key of this log.
	Kept(ctx context.Context, note string) (SignedHead, error)
	// Inclusion proves an event of the principal's organization, under the newest head.
	Inclusion(ctx context.Context, p service.Principal, stream string, revision uint64) (Inclusion, error)
	// At finds the event of the principal's organization at a position.
	At(ctx context.Context, p service.Principal, position uint64) (stream string, revision uint64, err error)
	// Consistency tells how the log of the size of one head goes on to that of another.
	Consistency(ctx context.Context, from, to int64) (Consistency, error)
}

// SignedHead is a signed head of the log. Note is all of it as it was signed.
type SignedHead struct {
	Size            int64
	Root, Key, Note string
	At              time.Time
	// Before are the keys that signed before, which have handed over to it in turn.
	Before []AuditKey
}

// AuditKey is a key that has handed over, and the sizes of the heads that it signed.
type AuditKey struct {
	Key         string
	From, Until int64
}

// Inclusion is where an event is in the log. Proof is the whole proof as text.
type Inclusion struct {
	Type        string
	Position    uint64
	Index, Size int64
	Leaf, Root  string
	Hashes      int
	Proof       json.RawMessage
}

// Consistency is a proof that a log has only grown. Older and Newer are its roots.
type Consistency struct {
	Older, Newer string
	Hashes       int
	Proof        json.RawMessage
}

// auditPage is the newest head, and what was checked.
type auditPage struct {
	Head *SignedHead
	// Waiting says why there is no head yet.
	Waiting string
	// Event, Number and Kept are what stands in the forms.
	Event, Number, Kept string
	Checked             *verdict
}

// verdict is what a check has come to, in words.
type verdict struct {
	Holds bool
	Says  []string
	// Proof is for copying, Commands check the same elsewhere.
	Proof, Name string
	Commands    []string
}

func (d *Dashboard) auditView(ctx context.Context, who service.Principal) (view, auditPage, error) {
	head, err := d.Proofs.Head(ctx)
	page := auditPage{}
	switch {
	case domain.CodeOf(err) == domain.CodeUnavailable:
		page.Waiting, err = capital(err.Error())+".", nil
	case err == nil:
		page.Head = &head
	}
	return view{Title: "Proof", Who: &who}, page, err
}

func (d *Dashboard) audit(w http.ResponseWriter, r *http.Request, who service.Principal) {
	v, page, err := d.auditView(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page.Event = r.URL.Query().Get("event")
	v.Data = page
	d.show(w, r, http.StatusOK, "audit", v)
}

// proof is the proof of one event, by its stream and revision.
func (d *Dashboard) proof(w http.ResponseWriter, r *http.Request, who service.Principal) {
	query := r.URL.Query()
	v, page, err := d.auditView(r.Context(), who)
	if err == nil {
		revision, parseErr := strconv.ParseUint(query.Get("revision"), 10, 64)
		if page.Event, page.Number = idOf(query.Get("stream")), query.Get("revision"); parseErr != nil {
			err = domain.Refuse(domain.CodeNotFound, "there is no such event here")
		} else {
			_, page.Checked, err = inEither(who, func(p service.Principal) (*verdict, error) {
				return d.included(r.Context(), p, query.Get("stream"), revision)
			})
		}
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Data = page
	d.show(w, r, http.StatusOK, "audit", v)
}

// checkAudit checks what a form asks for: an event, or a head that was kept.
func (d *Dashboard) checkAudit(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	v, page, err := d.auditView(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page.Event, page.Number, page.Kept = strings.TrimSpace(r.PostFormValue("event")), strings.TrimSpace(r.PostFormValue("number")), r.PostFormValue("head")
	if r.PostFormValue("what") == "head" {
		page.Checked, err = d.grown(r.Context(), page)
	} else {
		_, page.Checked, err = inEither(who, func(p service.Principal) (*verdict, error) {
			stream, revision, err := d.named(r.Context(), p, page.Event, page.Number)
			if err != nil {
				return nil, err
			}
			return d.included(r.Context(), p, stream, revision)
		})
	}
	if v.Data = page; err != nil {
		if unknown := (*domain.Error)(nil); errors.As(err, &unknown) && unknown.Code == domain.CodeNotFound {
			err = domain.Invalid("event", "unknown", "%s", strings.TrimSuffix(unknown.Message, "."))
		}
		d.again(w, r, "audit", v, err)
		return
	}
	d.show(w, r, http.StatusOK, "audit", v)
}

// named is the event that somebody means: by a position, or by what it is of and its
// number there, the last one for none.
func (d *Dashboard) named(ctx context.Context, who service.Principal, event, number string) (stream string, revision uint64, err error) {
	if position, err := strconv.ParseUint(event, 10, 63); err == nil {
		return d.Proofs.At(ctx, who, position)
	}
	if _, err := kindOf(who, event); err != nil {
		return "", 0, err
	}
	q := service.History{Limit: 1, Backwards: true}
	if number != "" {
		from, err := strconv.ParseUint(number, 10, 63)
		if err != nil {
			return "", 0, domain.Invalid("number", "wrong_format", "the number must be one from 0 on")
		}
		q.From, q.Backwards = &from, false
	}
	page, err := d.Histories.Events(ctx, who, event, q)
	if err == nil && len(page.Events) == 0 {
		err = domain.Refuse(domain.CodeNotFound, "%s has no event with this number", event)
	}
	if err != nil {
		return "", 0, err
	}
	return page.Events[0].Stream, page.Events[0].Revision, nil
}

// included proves an event under the newest head.
func (d *Dashboard) included(ctx context.Context, who service.Principal, stream string, revision uint64) (*verdict, error) {
	if id := idOf(stream); access.Operations["getAuditProof"].Decide(who.Scopes, who.Role, true) != access.Permitted {
		return nil, domain.Refuse(domain.CodeForbidden, "your role in the organization does not permit this")
	} else if _, err := kindOf(who, id); err != nil {
		return nil, err
	}
	in, err := d.Proofs.Inclusion(ctx, who, stream, revision)
	if domain.CodeOf(err) == "" && err != nil { // which is not a refusal
		d.Logger.Error("an event could not be proven", "stream", stream, "revision", revision, "error", err)
		return &verdict{Says: []string{"This event is NOT proven.", "What stands in the log is not what was hashed when it was recorded, or the hashes that are kept cannot be read. The operator should run the check below."}, Commands: []string{"understudy audit check"}}, nil
	}
	if err != nil {
		return nil, err
	}
	v := &verdict{Holds: true, Name: "proof.json", Proof: pretty(in.Proof), Says: []string{
		fmt.Sprintf("Event %d of %s (%s, position %d) is in the log as it was recorded.", revision, idOf(stream), in.Type, in.Position),
		fmt.Sprintf("It is number %d of the %d events under the newest signed head: its hash and the %d hashes beside its way up make the root %s, which was signed.", in.Index, in.Size, in.Hashes, in.Root),
	}}
	v.Commands = commandsFor(stream)
	return v, nil
}

// commandsFor are the commands that check the same without trusting this service.
func commandsFor(stream string) []string {
	id := idOf(stream)
	switch {
	case strings.HasPrefix(stream, testrun.StreamPrefix):
		return []string{"understudy audit export " + id + " -o t.export", "understudy audit verify --key KEY --head head.txt t.export"}
	case strings.HasPrefix(stream, session.StreamPrefix), strings.HasPrefix(stream, delivery.StreamPrefix):
		return []string{"understudy audit export TEST_ID -o t.export    # the test that it belongs to", "understudy audit verify --key KEY --head head.txt t.export"}
	}
	return []string{"understudy audit check"}
}

// idOf is the id of what a stream is of.
func idOf(stream string) string {
	_, id, _ := strings.Cut(stream, "-")
	return id
}

// grown holds a head that somebody has kept against the newest one.
func (d *Dashboard) grown(ctx context.Context, page auditPage) (*verdict, error) {
	if page.Head == nil {
		return nil, domain.Refuse(domain.CodeUnavailable, "no head of the log has been signed yet")
	}
	note := strings.TrimSpace(strings.ReplaceAll(page.Kept, "\r\n", "\n")) + "\n"
	kept, err := d.Proofs.Kept(ctx, note)
	if err != nil {
		return &verdict{Says: []string{ //nolint:nilerr // it is what the reader is told
			"This head is not one of this log.",
			"It is not signed by a key of this log: " + err.Error() + ". Paste all of it, from its name to its signature, with the empty line. If it is whole, somebody has put another log in this one's place, or the head is another log's.",
		}}, nil
	}
	newest := *page.Head
	if kept.Size > newest.Size {
		return &verdict{Says: []string{
			"Events are missing.",
			fmt.Sprintf("The log had %d events when this head was signed, and the newest head here has %d.", kept.Size, newest.Size),
		}, Commands: []string{"understudy audit check"}}, nil
	}
	if kept.Size == 0 {
		return &verdict{Holds: true, Says: []string{"This head is of the empty log, which every log goes on from."}}, nil
	}
	proof, err := d.Proofs.Consistency(ctx, kept.Size, newest.Size)
	if err != nil {
		return nil, err
	}
	if proof.Older != kept.Root {
		return &verdict{Says: []string{
			"The log was changed.",
			fmt.Sprintf("Its first %d events had the root %s when this head was signed, and have the root %s now.", kept.Size, kept.Root, proof.Older),
		}, Commands: []string{"understudy audit check"}}, nil
	}
	return &verdict{Holds: true, Name: "consistency.json", Proof: pretty(proof.Proof), Says: []string{
		"The log has only grown since this head was signed.",
		fmt.Sprintf("Its first %d events are the same as then: none was changed, removed or put in between. %d came after them.", kept.Size, newest.Size-kept.Size),
	}, Commands: []string{"understudy audit export TEST_ID -o t.export", "understudy audit verify --key KEY --head kept.txt --consistency consistency.json t.export", "understudy audit check    # the whole log, on the data directory"}}, nil
}
