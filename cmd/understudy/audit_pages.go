package main

import (
	"context"
	"encoding/json"

	"understudy/adapters/dashboard"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// auditPages are the proofs as the dashboard's pages show them.
type auditPages struct{ audit }

// Head is the newest signed head.
func (a auditPages) Head(ctx context.Context) (dashboard.SignedHead, error) {
	h, err := a.proofs.Head(ctx)
	if err != nil {
		return dashboard.SignedHead{}, err
	}
	shown := dashboard.SignedHead{Size: h.Size, Root: h.Root.String(), Key: h.Key, Note: h.Keys.Rotations() + h.Note, At: h.At}
	for _, turn := range h.Keys.Turns() {
		if turn.Until >= 0 {
			shown.Before = append(shown.Before, dashboard.AuditKey{Key: turn.Key.String(), From: turn.From, Until: turn.Until})
		}
	}
	return shown, nil
}

// Kept reads a head that somebody has kept.
func (a auditPages) Kept(ctx context.Context, note string) (dashboard.SignedHead, error) {
	newest, err := a.proofs.Head(ctx)
	if err != nil {
		return dashboard.SignedHead{}, err
	}
	_, note = integrity.CutRotations(note)
	head, by, err := newest.Keys.OpenHead([]byte(note))
	if err != nil {
		return dashboard.SignedHead{}, err
	}
	return dashboard.SignedHead{Size: head.Size, Root: head.Root.String(), Key: by.String(), Note: note}, nil
}

// Inclusion proves an event under the newest head.
func (a auditPages) Inclusion(ctx context.Context, p service.Principal, stream string, revision uint64) (dashboard.Inclusion, error) {
	proof, err := a.Proof(ctx, p, stream, revision, 0)
	if err != nil {
		return dashboard.Inclusion{}, err
	}
	text, err := json.Marshal(proof)
	return dashboard.Inclusion{
		Type: proof.Type, Position: uint64(proof.Position), Index: proof.Index, Size: proof.Size, //nolint:gosec // positions are not negative
		Leaf: proof.LeafHash, Root: proof.RootHash, Hashes: len(proof.Hashes), Proof: text,
	}, err
}

// At finds the event at a position.
func (a auditPages) At(ctx context.Context, p service.Principal, position uint64) (stream string, revision uint64, err error) {
	var event eventstore.Raw
	head, err := a.store.Head(ctx)
	if err != nil {
		return "", 0, err
	}
	after := position - 1
	subscription := eventstore.Subscription{Name: "proof", MaxBatch: 1, From: &after, UpTo: &position}
	if position == 0 {
		subscription.From = nil
	}
	if position <= head {
		err = a.store.SubscribeRaw(ctx, subscription, func(_ context.Context, b eventstore.RawBatch) error {
			if len(b.Events) > 0 {
				event = b.Events[0]
			}
			return nil
		})
	}
	if err != nil {
		return "", 0, err
	}
	if event.Position != position || event.Stream == "" {
		return "", 0, domain.Refuse(domain.CodeNotFound, "there is no such event here")
	}
	_, err = a.event(ctx, p, event.Stream, event.Revision)
	return event.Stream, event.Revision, err
}

// Consistency proves that the log has only grown.
func (a auditPages) Consistency(ctx context.Context, from, to int64) (dashboard.Consistency, error) {
	proof, err := a.audit.Consistency(ctx, from, to)
	if err != nil {
		return dashboard.Consistency{}, err
	}
	text, err := json.Marshal(proof)
	return dashboard.Consistency{Older: proof.FromRootHash, Newer: proof.ToRootHash, Hashes: len(proof.Hashes), Proof: text}, err
}
