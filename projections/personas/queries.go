package personas

import (
	"context"
	"encoding/json"
	"fmt"

	"understudy/domain/custompersona"
	"understudy/domain/persona"
	"understudy/projections"
)

var qualified = projections.PostgresSchema("personas", version) + ".personas"

// Get reads one custom persona; a deleted one is not found.
func Get(ctx context.Context, q projections.Querier, id string, owner projections.Owner) (projections.Document[Document], error) {
	docs, _, err := list(ctx, q, owner, "", 1, projections.Filter{Condition: "id = ?", Value: id})
	if err != nil {
		return projections.Document[Document]{}, err
	}
	if len(docs) == 0 {
		return projections.Document[Document]{}, projections.NotFound(id)
	}
	return docs[0], nil
}

// Known returns nil for a persona that is or was there, deleted ones included.
func Known(ctx context.Context, q projections.Querier, id string, owner projections.Owner) error {
	_, err := projections.Get[Document](ctx, q, qualified, "doc", id, owner)
	return err
}

// List reads the custom personas that are not deleted, newest first.
func List(ctx context.Context, q projections.Querier, owner projections.Owner, created projections.Created, after string, limit int) ([]projections.Document[Document], bool, error) {
	return list(ctx, q, owner, after, limit, created.In("(doc->>'created_at')::timestamptz")...)
}

// Find reads those of the ids that are custom personas of the owner and not
// deleted, by id.
func Find(ctx context.Context, q projections.Querier, ids []string, owner projections.Owner) (map[string]persona.Persona, error) {
	docs, _, err := list(ctx, q, owner, "", len(ids), projections.Filter{Condition: "id = ANY(?)", Value: ids})
	if err != nil {
		return nil, err
	}
	found := make(map[string]persona.Persona, len(docs))
	for _, d := range docs {
		var doc Document
		if err := json.Unmarshal(d.JSON, &doc); err != nil {
			return nil, fmt.Errorf("stored persona %s: %w", d.ID, err)
		}
		found[d.ID] = persona.Persona{ID: doc.ID, Name: doc.Name, Summary: doc.Summary, Facets: doc.Facets}
	}
	return found, nil
}

// Count counts the custom personas that are not deleted, without the one with an id.
func Count(ctx context.Context, q projections.Querier, owner projections.Owner, without string) (int, error) {
	return projections.CountOwned(ctx, q, qualified, owner,
		projections.Filter{Condition: "status <> ?", Value: string(custompersona.StatusDeleted)}, projections.Filter{Condition: "id <> ?", Value: without})
}

func list(ctx context.Context, q projections.Querier, owner projections.Owner, after string, limit int, more ...projections.Filter) ([]projections.Document[Document], bool, error) {
	return projections.ListOwned[Document](ctx, q, qualified, owner, after, limit,
		append(more, projections.Filter{Condition: "status <> ?", Value: string(custompersona.StatusDeleted)})...)
}
