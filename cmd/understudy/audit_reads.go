package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/adapters/httpapi"
	"understudy/adapters/notary"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// audit answers proofs from the log and what the notary has kept of it.
type audit struct {
	store  *eventstore.Store
	proofs notary.Proofs
}

// Head is the newest signed head.
func (a audit) Head(ctx context.Context) (httpapi.AuditHead, error) {
	h, err := a.proofs.Head(ctx)
	if err != nil {
		return httpapi.AuditHead{}, err
	}
	out := httpapi.AuditHead{
		Origin: h.Origin, Size: h.Size, RootHash: h.Root.String(), Note: h.Note, Key: h.Key, SignedAt: domain.At(h.At),
	}
	for _, turn := range h.Keys.Turns() {
		key := httpapi.AuditKey{Key: turn.Key.String(), FromSize: turn.From, Rotation: turn.Rotation}
		if turn.Until >= 0 {
			key.UntilSize = &turn.Until
		}
		out.Keys = append(out.Keys, key)
	}
	return out, nil
}

// Proof proves an event of the principal's.
func (a audit) Proof(ctx context.Context, p service.Principal, stream string, revision uint64, size int64) (out httpapi.AuditProof, err error) {
	event, err := a.event(ctx, p, stream, revision)
	if err != nil {
		return out, err
	}
	if size == 0 {
		head, err := a.proofs.Head(ctx)
		if err != nil {
			return out, err
		}
		size = head.Size
	}
	record := integrity.Record(event)
	leaf := tlog.RecordHash(record)
	in, err := a.proofs.Inclusion(ctx, event.Position, leaf, size)
	if err != nil {
		return out, err
	}
	return httpapi.AuditProof{
		Stream: event.Stream, Revision: int64(event.Revision), Type: event.Type, Position: int64(event.Position),
		Index: in.Index, Record: record, LeafHash: leaf.String(),
		Size: size, RootHash: in.Root.String(), Hashes: hashes64(in.Proof),
	}, nil
}

// event reads one event of the principal's organization and environment. What
// concerns an organization as a whole, its users and keys, has no environment,
// and is for who may do everything: the record holds the hash of a password.
func (a audit) event(ctx context.Context, p service.Principal, stream string, revision uint64) (event eventstore.Raw, err error) {
	found := false
	err = a.store.ReadStreamRaw(ctx, stream, revision, 1, func(e eventstore.Raw) error {
		event, found = e, e.Revision == revision
		return nil
	})
	if err != nil && !errors.Is(err, eventstore.ErrStreamNotFound) {
		return event, err
	}
	var meta domain.Meta
	if found && json.Unmarshal(event.Metadata, &meta) == nil && meta.OrganizationID == p.OrganizationID &&
		(meta.Environment == p.Environment || meta.Environment == "" && slices.Contains(p.Scopes, access.Full)) {
		return event, nil
	}
	return eventstore.Raw{}, domain.Refuse(domain.CodeNotFound, "there is no such event here")
}

// Consistency proves that the log has only grown.
func (a audit) Consistency(ctx context.Context, from, to int64) (out httpapi.AuditConsistency, err error) {
	if to == 0 {
		head, err := a.proofs.Head(ctx)
		if err != nil {
			return out, err
		}
		to = head.Size
	}
	proof, older, newer, err := a.proofs.Consistency(ctx, from, to)
	return httpapi.AuditConsistency{
		From: from, To: to, FromRootHash: older.String(), ToRootHash: newer.String(), Hashes: hashes64(proof),
	}, err
}

// hashes64 are hashes in base64, as heads have them.
func hashes64(hashes []tlog.Hash) []string {
	out := make([]string, len(hashes))
	for i, h := range hashes {
		out[i] = h.String()
	}
	return out
}
