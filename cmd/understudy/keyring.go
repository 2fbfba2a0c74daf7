package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"understudy/adapters/keyring"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/eventstore"
)

func (c config) keyringPath() string { return filepath.Join(c.dataDir, "keyring.json") }

// openKeyring opens the keyring, or makes one for a log that holds nothing
// sealed yet. A log that does needs the keyring that it was sealed with: with
// any other the service would run, and fail wherever a secret is needed.
func openKeyring(ctx context.Context, path string, store *eventstore.Store) (*keyring.Keyring, error) {
	owner, err := firstOwner(ctx, store)
	if errors.Is(err, eventstore.ErrStreamNotFound) {
		return keyring.OpenOrCreate(path)
	}
	if err != nil {
		return nil, err
	}
	keys, err := keyring.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing, and the event log holds secrets that were sealed with it: bring it back with `understudy keyring restore FILE`, FILE being a backup of it. If there is none, `understudy keyring start-over` gives them up", path)
	}
	if err != nil {
		return nil, err
	}
	if _, err := keys.OpenString(owner.Email, emailPlace(owner.UserID)); err != nil && !keys.StartedOver() {
		return nil, fmt.Errorf("%s is not the keyring that this event log was sealed with: move it away and bring the right one back with `understudy keyring restore FILE` (%w)", path, err)
	}
	return keys, nil
}

// errOwner ends a read at the owner of the first organization.
var errOwner = errors.New("owner read")

// firstOwner reads the first thing that was ever sealed.
func firstOwner(ctx context.Context, store *eventstore.Store) (owner account.UserAdded, err error) {
	err = store.ReadStream(ctx, account.Stream(firstOrganization()), 0, func(e domain.Recorded) error {
		var found bool
		if owner, found = e.Event.(account.UserAdded); found {
			return errOwner
		}
		return nil
	})
	if errors.Is(err, errOwner) {
		return owner, nil
	}
	if err == nil {
		err = errors.New("the first organization has no owner")
	}
	return owner, err
}

func keyringCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "keyring",
		Short: "Look after the keys that secrets are sealed with",
		Long: `Look after the keys that secrets are sealed with, and that addresses, stream
tokens and cursors are signed with: the file keyring.json in
UNDERSTUDY_DATA_DIR (./data). A running service takes over a change within a
second or two.`,
	}
	command.AddCommand(keyringStatus(), keyringRotate(), keyringBackup(), keyringRestore(), keyringStartOver())
	return command
}

// onKeyring is what a subcommand does with the keyring at path.
func onKeyring(do func(cmd *cobra.Command, path string, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := readConfig(os.Getenv)
		if err != nil {
			return err
		}
		return do(cmd, cfg.keyringPath(), args)
	}
}

func keyringStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "List the keys, without telling them", Args: cobra.NoArgs,
		RunE: onKeyring(func(cmd *cobra.Command, path string, _ []string) error { return printStatus(cmd.OutOrStdout(), path) }),
	}
}

func keyringRotate() *cobra.Command {
	var r keyring.Rotation
	command := &cobra.Command{
		Use: "rotate", Short: "Seal and sign with new keys from now on", Args: cobra.NoArgs,
		Long: `Seal and sign with new keys from now on. The old ones stay: what they have sealed
is recorded for good and can be read on, and the addresses, stream tokens and
cursors that they have signed hold until they expire. Make a new backup
afterwards: older ones lack the new keys.

Where several processes share the keyring, rotate with --prepare first and again
without it a few seconds later: then none of them meets a key that it does not
have yet.`,
		RunE: onKeyring(func(cmd *cobra.Command, path string, _ []string) error {
			if err := keyring.Rotate(path, r); err != nil {
				return err
			}
			return printStatus(cmd.OutOrStdout(), path)
		}),
	}
	command.Flags().BoolVar(&r.Prepare, "prepare", false, "only add the new keys, which the next rotation will use")
	command.Flags().BoolVar(&r.EndSignatures, "end-signatures", false, "end every address, stream token and cursor that was handed out, as after a leak")
	command.MarkFlagsMutuallyExclusive("prepare", "end-signatures")
	return command
}

func keyringBackup() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the keyring to a new file, or to standard output (-)", Args: cobra.ExactArgs(1),
		Long: `Copy the keyring to a new file (mode 0600), or to standard output when FILE is -,
for a pipe into a program that encrypts it. Keep it apart from the backup of the
data: who has both can read every secret.`,
		RunE: onKeyring(func(cmd *cobra.Command, path string, args []string) error {
			if args[0] != "-" {
				return keyring.BackupTo(path, args[0])
			}
			raw, err := keyring.Backup(path)
			if err == nil {
				_, err = cmd.OutOrStdout().Write(raw)
			}
			return err
		}),
	}
}

func keyringRestore() *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Bring the keyring back from a backup, or from standard input (-)", Args: cobra.ExactArgs(1),
		Long: `Bring the keyring back from a backup, or from standard input when FILE is -. A
keyring that is there is only replaced when the backup has all of its keys.`,
		RunE: onKeyring(func(cmd *cobra.Command, path string, args []string) (err error) {
			var raw []byte
			if args[0] == "-" {
				raw, err = io.ReadAll(cmd.InOrStdin())
			} else {
				raw, err = os.ReadFile(args[0])
			}
			if err != nil {
				return err
			}
			if err := keyring.Restore(path, raw); err != nil {
				return err
			}
			return printStatus(cmd.OutOrStdout(), path)
		}),
	}
}

func keyringStartOver() *cobra.Command {
	return &cobra.Command{
		Use: "start-over", Short: "Make a new keyring in the place of one that is lost for good", Args: cobra.NoArgs,
		Long: `Make a new keyring in the place of one that is lost for good, so that the service
starts again. What was sealed with the old one stays unreadable: deliveries to
webhooks registered before wait for ever, sessions with inputs fail, and every
address that was handed out ends. Register the webhooks anew.`,
		RunE: onKeyring(func(cmd *cobra.Command, path string, _ []string) error {
			if err := keyring.StartOver(path); err != nil {
				return err
			}
			return printStatus(cmd.OutOrStdout(), path)
		}),
	}
}

func printStatus(out io.Writer, path string) error {
	s, err := keyring.ReadStatus(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, fingerprint %s\n", path, s.Fingerprint)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, key := range s.Sealing {
		does := "opens what it has sealed"
		switch {
		case key.Primary:
			does = "seals and opens"
		case key.Prepared:
			does = "prepared, will seal after the next rotation"
		}
		fmt.Fprintf(table, "sealing key %d\t%s\n", key.ID, does)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "signing keys: 1 signs, %d more verify\n", s.Verifying)
	return err
}
