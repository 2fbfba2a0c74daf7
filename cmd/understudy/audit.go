package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/adapters/keyring"
	"understudy/adapters/notary"
	"understudy/domain/process"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// auditCommand is what auditors and operators do with the log.
func auditCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "audit",
		Short: "Prove what was recorded: signed heads, exports, replays",
		Long: "Every event is a leaf of one Merkle tree, whose heads the service signs.\n" +
			"verify and replay need nothing but the file. The others work on the data directory\n" +
			"(UNDERSTUDY_DATA_DIR, or UNDERSTUDY_EVENTSTORE), whether or not the service runs.",
	}
	command.AddCommand(auditHeadCommand(), auditCheckCommand(), auditExportCommand(), auditVerifyCommand(), auditReplayCommand(), auditRotateKeyCommand())
	return command
}

func auditHeadCommand() *cobra.Command {
	var key, keys bool
	command := &cobra.Command{
		Use:   "head",
		Short: "Print the newest signed head of the log",
		Long: "Print the newest signed head of the log. Keep it elsewhere: later it proves that nothing before it was changed.\n" +
			"With --keys the notes by which its key was rotated stand before it; `verify --head` reads both.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := readConfig(os.Getenv)
			if err != nil {
				return err
			}
			signer, err := auditKey(cfg)
			if err != nil {
				return err
			}
			if key {
				fmt.Fprintln(cmd.OutOrStdout(), signer.Public())
				return nil
			}
			var newest []byte
			err = notary.ReadLastHeads(filepath.Join(cfg.auditDir, notary.HeadsName), signer.Chain(), func(_ integrity.Head, signed []byte) error {
				newest = signed
				return nil
			})
			if err != nil {
				return err
			}
			if keys {
				newest = append([]byte(signer.Chain().Rotations()), newest...)
			}
			_, err = cmd.OutOrStdout().Write(newest)
			return err
		},
	}
	command.Flags().BoolVar(&key, "key", false, "print the public key instead")
	command.Flags().BoolVar(&keys, "keys", false, "print how its key was rotated before it")
	return command
}

func auditRotateKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate-key",
		Short: "Sign heads with a new key from now on",
		Long: "Sign heads with a new key from now on. The old key signs the new one and is forgotten: heads that it has\n" +
			"signed hold, and whoever knows it can check that it has led to the new one. Where a service runs, it takes\n" +
			"the new key up, which this command waits for. Make a new backup of the keyring afterwards.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onAudit(cmd, func(ctx context.Context, a notary.Auditor) error {
				cfg, err := readConfig(os.Getenv)
				if err != nil {
					return err
				}
				keys, err := keyring.Open(cfg.keyringPath())
				if err != nil {
					return err
				}
				key, err := a.Rotate(ctx, keys)
				if err == nil {
					tellKeys(cmd.OutOrStdout(), "From now on heads are signed", key.Chain(), key.Public())
				}
				return err
			})
		},
	}
}

// tellKeys says which key has signed, and which there were.
func tellKeys(out io.Writer, what string, keys *integrity.Chain, signer *integrity.PublicKey) {
	fmt.Fprintf(out, "%s by %s\n", what, signer)
	turns := keys.Turns()
	if len(turns) == 1 {
		return
	}
	for i, turn := range turns {
		end := "on"
		if turn.Until >= 0 {
			end = fmt.Sprintf("to %d", turn.Until)
		}
		fmt.Fprintf(out, "Key %d of %d, heads of size %d %s: %s\n", i+1, len(turns), turn.From, end, turn.Key)
	}
}

func auditCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Compare the whole log with every head that was signed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onAudit(cmd, func(ctx context.Context, a notary.Auditor) error {
				c, err := a.Check(ctx)
				if err == nil {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "OK: %s, and all %s hold.\nNewest head: size %d, root %s\n",
						notary.Count(int(c.Events), "event"), notary.Count(c.Heads, "signed head"), c.Newest.Size, c.Newest.Root)
					tellKeys(cmd.OutOrStdout(), "Signed", a.Key.Chain(), a.Key.Public())
				}
				return err
			})
		},
	}
}

func auditExportCommand() *cobra.Command {
	var file string
	command := &cobra.Command{
		Use:   "export TEST_ID",
		Short: "Write a test's whole history to one file that can be checked offline",
		Long: "Write a test's whole history to one file: the streams of the test, its sessions, its reports, the\n" +
			"webhook deliveries about it and the comparisons that it is a side of, as they were recorded, with the\n" +
			"newest signed head, proofs and a signed list of every stream's length.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			test := args[0]
			if file == "" {
				file = test + ".export"
			}
			return onAudit(cmd, func(ctx context.Context, a notary.Auditor) error {
				all, err := a.Export(ctx, []notary.History{{Test: test, Stream: testrun.Stream(test), Path: file}}, historiesOf())
				if err == nil {
					x := all[0]
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s in %s of %s\nHead: size %d, root %s\n", file,
						notary.Count(x.Events, "event"), notary.Count(x.Streams, "stream"), test, x.Head.Size, x.Head.Root)
					tellKeys(cmd.OutOrStdout(), "Signed", a.Key.Chain(), a.Key.Public())
				}
				return err
			})
		},
	}
	command.Flags().StringVarP(&file, "output", "o", "", "the file to write (default TEST_ID.export)")
	return command
}

// historiesOf tells the tests to which a stream belongs.
func historiesOf() func(first eventstore.Raw) []string {
	known := eventstore.NewCodec(process.Catalogue())
	return func(first eventstore.Raw) []string {
		e, err := known.Decode(first.Type, first.Data)
		if err != nil {
			return nil // what does not fit its type belongs to nothing
		}
		return process.HistoriesOf(e)
	}
}

// onAudit runs fn on the log of the data directory, whether a service runs on it
// or not.
func onAudit(cmd *cobra.Command, fn func(context.Context, notary.Auditor) error) error {
	return onStorage(cmd, attachLog, func(ctx context.Context, s *storage) error {
		key, err := auditKey(s.cfg)
		if err != nil {
			return err
		}
		return fn(ctx, notary.Auditor{
			Log: s.store, Key: key, Dir: s.cfg.auditDir, Alone: !s.running && !s.cfg.shared(), Progress: cmd.ErrOrStderr(),
		})
	})
}

// auditKey is the key that signs for the installation.
func auditKey(cfg config) (*integrity.Key, error) {
	keys, err := keyring.Open(cfg.keyringPath())
	if err != nil {
		return nil, err
	}
	return notary.AuditKey(keys)
}

func auditVerifyCommand() *cobra.Command {
	var key, head, consistency string
	command := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check an export: every change is found, and events that were hit are named",
		Long: "Check an export or an archive of a test, offline. Leaves with 1 when anything in it is not as it was recorded.\n\n" +
			"Without --key the key is taken from the file: the verdict then says that the file is whole, not whose\n" +
			"it is. Any key of the log will do: each has signed the next one. With --head it is held against a head that\n" +
			"you have kept, as text or as GET /v1/audit/head gives it, which tells of newer keys too; one of another size\n" +
			"needs the proof that one extends the other, as GET /v1/audit/consistency gives it.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := plainExport(args[0])
			if err != nil {
				return err
			}
			known, err := notary.ReadKnown(key, head, consistency, file)
			if err != nil {
				return err
			}
			return tellVerdict(cmd.OutOrStdout(), args[0], integrity.Verify(file, known), known)
		},
	}
	command.Flags().StringVar(&key, "key", "", "a public key of the log, as `understudy audit head --key` prints it")
	command.Flags().StringVar(&head, "head", "", "a file with a signed head, or with many")
	command.Flags().StringVar(&consistency, "consistency", "", "a file with the answer of GET /v1/audit/consistency")
	return command
}

// mostFaults is how many faults are told one by one.
const mostFaults = 50

// tellVerdict prints what a check has found. Its error is the verdict in short.
func tellVerdict(out io.Writer, file string, v integrity.Verdict, known integrity.Known) error {
	for i, f := range v.Faults {
		if i == mostFaults {
			fmt.Fprintf(out, "and %d more\n", len(v.Faults)-i)
			break
		}
		fmt.Fprintln(out, f)
	}
	if n := len(v.Faults); n > 0 {
		return fmt.Errorf("%s is NOT as it was recorded and signed: %s", file, notary.Count(n, "fault"))
	}
	m := v.Manifest
	fmt.Fprintf(out, "OK: %s in %s of %s are as they were recorded.\nHead: size %d, root %s\n",
		notary.Count(m.Events.Lines, "event"), notary.Count(len(m.Streams), "stream"), m.Test, m.Head.Size, m.Head.Root)
	tellKeys(out, "Signed", v.Keys, v.Key)
	if known.Keys == nil {
		fmt.Fprintln(out, "This key is the one that the file names. Compare it with the one you know, or give that one with --key.")
	}
	if v.Key.String() != v.Keys.Newest().String() && known.Head == nil {
		fmt.Fprintln(out, "This key was given up since. If that was because somebody else has it, the file proves nothing without --head, a head that a later key has signed.")
	}
	if known.Head == nil {
		fmt.Fprintln(out, "No head was given to hold it against: whoever has the key could have made another log. Give one that you kept with --head.")
	}
	return nil
}
