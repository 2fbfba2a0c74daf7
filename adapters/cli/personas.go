package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"understudy/adapters/client"
)

func personasCommand(env Env) *cobra.Command {
	return withJSON(asking(env, "personas [PACK]", "List the packs of personas and your own, or who is in a pack", cobra.MaximumNArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		if len(args) == 1 {
			got, err := c.GetPersonaPackWithResponse(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				return raw(cmd, got.Body)
			}
			say(cmd.OutOrStdout(), "%s: %s\n", got.JSON200.Name, got.JSON200.Description)
			var rows [][]any
			for _, p := range got.JSON200.Personas {
				rows = append(rows, []any{p.Name, p.Summary})
			}
			return table(cmd.OutOrStdout(), []any{"NAME", "WHO"}, rows)
		}
		var rows [][]any
		all := []any{}
		for pack, err := range client.Pages(func(cursor *string) ([]client.PersonaPack, string, error) {
			res, err := c.ListPersonaPacksWithResponse(cmd.Context(), &client.ListPersonaPacksParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.JSON200.Data, res.JSON200.NextCursor, nil
		}) {
			if err != nil {
				return err
			}
			all = append(all, pack)
			rows = append(rows, []any{first(pack.Slug, pack.ID), len(pack.Personas), pack.Description})
		}
		for own, err := range client.Pages(func(cursor *string) ([]client.CustomPersona, string, error) {
			res, err := c.ListPersonasWithResponse(cmd.Context(), &client.ListPersonasParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.JSON200.Data, res.JSON200.NextCursor, nil
		}) {
			if err != nil {
				return err
			}
			all = append(all, own)
			rows = append(rows, []any{own.ID, 1, own.Name + ": " + own.Summary})
		}
		if asJSON(cmd) {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(all)
		}
		return table(cmd.OutOrStdout(), []any{"FOR --personas", "PEOPLE", "WHO"}, rows)
	}))
}
