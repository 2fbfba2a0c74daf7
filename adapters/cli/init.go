package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
)

// suiteFile and schemaFile are what init writes.
const suiteFile, schemaFile = "understudy.yaml", "understudy.schema.json"

// question is one of init's, with what an empty answer means.
type question struct{ name, text, fallback string }

var questions = []question{
	{"url", "Which page is tested? ${NAME} is a variable of the pipeline", "http://localhost:3000/"},
	{"task", "What are people to do there, in their words?", "Find out what it costs"},
	{"name", "What is this test called?", "main task"},
	{"sessions", "How many people try?", "10"},
	{"threshold", "Which score has to be reached, 0 to 1?", "0.7"},
}

var suiteTemplate = template.Must(template.New("").Funcs(template.FuncMap{"yaml": func(s string) (string, error) {
	raw, err := yaml.Marshal(s)
	return strings.TrimSpace(string(raw)), err
}}).Parse(`# yaml-language-server: $schema=./` + schemaFile + `
# Run by: understudy test --suite ` + suiteFile + `
# Each test has the fields of a POST /v1/tests; what it leaves out is taken from defaults.
defaults:
  sessions: {{.sessions}}
  viewport: [desktop, mobile]
  quality_gate: {threshold: {{.threshold}}}
tests:
  - name: {{yaml .name}}
    url: {{yaml .url}}
    task: {{yaml .task}}
`))

func initCommand(env Env) *cobra.Command {
	var force, yes bool
	command := &cobra.Command{
		Use: "init", Short: "Write a file of tests by answering five questions", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(suiteFile); !force && !errors.Is(err, fs.ErrNotExist) {
				return usage("%s is there already; --force writes it anew", suiteFile)
			}
			answers := map[string]string{}
			in := bufio.NewReader(Until(cmd.Context(), cmd.InOrStdin()))
			for _, q := range questions {
				answer := ""
				if !yes {
					_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s (%s) ", q.text, q.fallback)
					line, err := in.ReadString('\n')
					switch {
					case errors.Is(err, io.EOF) && line == "":
						return usage("the answers end before they are complete, and nothing is written; --yes takes what is proposed")
					case err != nil && !errors.Is(err, io.EOF):
						return unjudged(cmd.Context(), err)
					}
					answer = strings.TrimSpace(line)
				}
				answers[q.name] = first(answer, q.fallback)
			}
			var b strings.Builder
			if err := suiteTemplate.Execute(&b, answers); err != nil {
				return err
			}
			// It is read as a test would read it, with whatever the variables come to.
			if _, err := parseSuite([]byte(b.String()), func(string) string { return "http://localhost/" }); err != nil {
				return usage("that is no test: %v", err)
			}
			schema, err := suiteSchema(env.Document)
			if err != nil {
				return err
			}
			for file, content := range map[string][]byte{suiteFile: []byte(b.String()), schemaFile: schema} {
				if err := os.WriteFile(file, content, 0o644); err != nil { //nolint:gosec // for everybody who works on the repository
					return usage("%v", err)
				}
			}
			say(cmd.OutOrStdout(), "%s and %s (for completion in editors) are written.\nTry it: understudy test --suite %s", suiteFile, schemaFile, suiteFile)
			return nil
		},
	}
	command.Flags().BoolVar(&force, "force", false, "write the files anew where they are there already")
	command.Flags().BoolVarP(&yes, "yes", "y", false, "ask nothing: take what is proposed")
	return command
}
