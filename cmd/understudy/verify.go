package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/cli"
	"understudy/adapters/webhooksender"
)

// largestBody bounds the body of a delivery to verify, in bytes.
const largestBody = 16 << 20

func verifyCommand() *cobra.Command {
	var headers []string
	var secretFile string
	var tolerance time.Duration
	command := &cobra.Command{
		Use:   "verify --header 'Name: value' … < body",
		Short: "Check the signatures of a delivery",
		Long: `Read the body of a delivery and check the signatures in its headers:
X-Service-Signature, and webhook-signature together with webhook-id and
webhook-timestamp. Other headers are ignored. Ends with 1 and says why when a
signature is wrong, the time is too far off, or there is no signature.

The secret comes from --secret-file or UNDERSTUDY_WEBHOOK_SECRET.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := secret(os.Getenv("UNDERSTUDY_WEBHOOK_SECRET"), secretFile)
			if err == nil && key == "" {
				err = errors.New("is missing")
			}
			if err != nil {
				return &cli.ExitError{Status: cli.ExitUsage, Err: fmt.Errorf("--secret-file or UNDERSTUDY_WEBHOOK_SECRET: %w", err)}
			}
			h := http.Header{}
			for _, line := range headers {
				name, value, ok := strings.Cut(line, ":")
				if !ok {
					return &cli.ExitError{Status: cli.ExitUsage, Err: fmt.Errorf("--header: %q is not of the form Name: value", line)}
				}
				h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
			}
			body, err := io.ReadAll(io.LimitReader(cli.Until(cmd.Context(), cmd.InOrStdin()), largestBody))
			if err != nil {
				return err
			}
			if err := webhooksender.Verify(key, h, body, time.Now(), tolerance); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "genuine")
			return nil
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&headers, "header", nil, "a header of the delivery, as often as needed")
	flags.StringVar(&secretFile, "secret-file", "", "file that holds the endpoint's secret")
	flags.DurationVar(&tolerance, "tolerance", webhooksender.Tolerance, "how far webhook-timestamp may be from now; 0: as far as it likes")
	return command
}
