package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/client"
	"understudy/domain/access"
)

func keysCommand(env Env) *cobra.Command {
	command := &cobra.Command{Use: "keys", Short: "List, make, rotate and revoke API keys"}
	var scopes []string
	var lasts, overlap time.Duration
	create := withJSON(asking(env, "create NAME", "Make a key; it is shown once", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		in := client.NewKey{Name: args[0], Scopes: scopes}
		if lasts > 0 {
			in.ExpiresAt = time.Now().Add(lasts).UTC()
		}
		got, err := c.CreateKeyWithResponse(cmd.Context(), nil, in)
		if err != nil {
			return err
		}
		return toldKey(cmd, got.Body, got.JSON201)
	}))
	create.Flags().StringSliceVar(&scopes, "scope", []string{access.TestsRead, access.TestsWrite, access.ReportsRead}, "what it may do: "+strings.Join(access.Scopes, ", "))
	create.Flags().DurationVar(&lasts, "expires-in", 0, "how long it counts, such as 720h (for ever)")
	rotate := withJSON(asking(env, "rotate KEY", "Replace a key; the old one counts on for a while", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		got, err := c.RotateKeyWithResponse(cmd.Context(), args[0], nil, client.KeyRotation{OverlapSeconds: int(overlap.Seconds())})
		if err != nil {
			return err
		}
		return toldKey(cmd, got.Body, got.JSON200)
	}))
	rotate.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the old key counts beside the new one")
	list := withJSON(asking(env, "list", "List the keys that you may see", cobra.NoArgs, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		var rows [][]any
		for k, err := range client.Pages(func(cursor *string) ([]client.Key, string, error) {
			res, err := c.ListKeysWithResponse(cmd.Context(), &client.ListKeysParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.JSON200.Data, res.JSON200.NextCursor, nil
		}) {
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				if err := json.NewEncoder(cmd.OutOrStdout()).Encode(k); err != nil {
					return err
				}
			}
			rows = append(rows, []any{k.ID, k.Name, "…" + k.LastFour, k.Environment, k.Status, strings.Join(k.Scopes, " ")})
		}
		if asJSON(cmd) {
			return nil
		}
		return table(cmd.OutOrStdout(), []any{"KEY", "NAME", "ENDS IN", "FOR", "STATUS", "MAY"}, rows)
	}))
	revoke := asking(env, "revoke KEY", "Take a key back at once", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		if _, err := c.RevokeKeyWithResponse(cmd.Context(), args[0], nil); err != nil {
			return err
		}
		say(cmd.OutOrStdout(), "%s does not count any more.", args[0])
		return nil
	})
	command.AddCommand(list, create, rotate, revoke)
	return command
}

// toldKey shows a new key, alone on standard output so that it can go into a file.
func toldKey(cmd *cobra.Command, body []byte, key *client.KeyWithSecret) error {
	if asJSON(cmd) {
		return raw(cmd, body)
	}
	if key == nil {
		return errors.New("the service answered without a key")
	}
	say(cmd.ErrOrStderr(), "%s, %s. It is shown only now:", key.ID, key.Name)
	say(cmd.OutOrStdout(), "%s", key.Key)
	return nil
}
