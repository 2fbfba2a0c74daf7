package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"understudy/domain"
	"understudy/projections"
	"understudy/projections/accesslog"
)

// AccessEntry is one thing that happened to an organization's access, as it is shown:
// who did it with which credential, from where and why, and to what.
type AccessEntry struct {
	// Actor is the credential or the person, null for whoever could not sign in.
	Actor *string `json:"actor"`
	// Address is null where it was not recorded, and of somebody who was erased.
	Address   *string         `json:"address"`
	CreatedAt domain.Time     `json:"created_at"`
	Details   json.RawMessage `json:"details"`
	ID        string          `json:"id"`
	Person    *string         `json:"person"`
	Position  uint64          `json:"position"`
	Reason    *string         `json:"reason"`
	RequestID *string         `json:"request_id"`
	Subject   string          `json:"subject"`
	Type      string          `json:"type"`
}

// AccessLog lists who signed in and who changed the access of the caller's organization,
// the newest first.
func (p *People) AccessLog(ctx context.Context, who Principal, q Query) (Page[AccessEntry], error) {
	filter := accesslog.Filter{Actor: q.Actor, Type: q.Type, Subject: q.Subject, Created: q.created()}
	if q.After != "" {
		var err error
		if filter.Before, err = strconv.ParseUint(q.After, 10, 63); err != nil {
			return Page[AccessEntry]{}, fmt.Errorf("key of a page of the access log: %w", err)
		}
	}
	found, more, err := accesslog.List(ctx, p.Pool, who.OrganizationID, filter, q.Limit)
	if err != nil {
		return Page[AccessEntry]{}, err
	}
	var page Page[AccessEntry]
	for _, e := range found {
		shown, err := p.accessEntry(ctx, who.OrganizationID, e)
		if err != nil {
			return Page[AccessEntry]{}, err
		}
		doc, err := projections.Made(e.EventID, shown, e.Position)
		if err != nil {
			return Page[AccessEntry]{}, err
		}
		page.Items = append(page.Items, doc)
		if more {
			page.Next = strconv.FormatUint(e.Position, 10)
		}
	}
	return page, nil
}

func (p *People) accessEntry(ctx context.Context, organizationID string, e accesslog.Entry) (AccessEntry, error) {
	out := AccessEntry{
		Actor: given(e.Actor), CreatedAt: domain.At(e.At), Details: e.Details, ID: e.EventID, Person: given(e.Person),
		Position: e.Position, RequestID: given(e.RequestID), Subject: e.Subject, Type: e.Type,
	}
	var err error
	if out.Address, err = p.opened(ctx, e.Person, placeAddress, e.Address); err != nil {
		return out, err
	}
	out.Reason, err = p.opened(ctx, organizationID, placeReason, e.Reason)
	return out, err
}

// opened is what was sealed for a subject, nil for nothing and where its key was destroyed.
func (p *People) opened(ctx context.Context, subject, place, sealed string) (*string, error) {
	if sealed == "" || subject == "" {
		return nil, nil
	}
	plain, err := p.Subjects.Open(ctx, subject, place, sealed)
	if errors.Is(err, domain.ErrErased) {
		return nil, nil
	}
	return given(plain), err
}

func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
