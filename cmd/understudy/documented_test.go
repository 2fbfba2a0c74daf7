package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	blocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	// called finds the program in a line of a shell script, and what it is given.
	called = regexp.MustCompile(`(?:^|[\s/-])understudy ([a-z].*)`)
	// collected finds flags that a script of bash collects for `understudy test`.
	collected = regexp.MustCompile(`flags\+?=\((.*?)\)`)
)

// commandLines are the calls of the program in documents and recipes, by file.
func commandLines(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	add := func(path, script string) {
		for line := range strings.Lines(strings.ReplaceAll(script, "\\\n", " ")) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "#") {
				continue
			}
			if m := called.FindStringSubmatch(line); m != nil {
				all[path] = append(all[path], m[1])
			}
			for _, m := range collected.FindAllStringSubmatch(line, -1) {
				all[path] = append(all[path], "test "+m[1])
			}
		}
	}
	document, err := os.ReadFile("../../docs/pipelines.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range blocks.FindAllStringSubmatch(string(document), -1) {
		add("docs/pipelines.md", m[1])
	}
	err = filepath.WalkDir("../../docs/recipes", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		add(path, string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDocumentedCommandsAreTheProgram: each command of docs/pipelines.md and of the
// recipes has flags that there are, values that they take, and as many arguments as it
// may.
func TestDocumentedCommandsAreTheProgram(t *testing.T) {
	t.Parallel()
	lines := commandLines(t)
	for _, file := range []string{"docs/pipelines.md", "../../docs/recipes/Makefile", "../../docs/recipes/github/action.yml", "../../docs/recipes/github/previews.yml",
		"../../docs/recipes/gitlab/understudy.gitlab-ci.yml"} {
		if len(lines[file]) == 0 {
			t.Errorf("%s calls nothing", file)
		}
	}
	for file, all := range lines {
		for _, line := range all {
			if err := check(line); err != nil {
				t.Errorf("%s: understudy %s: %v", file, line, err)
			}
		}
	}
	for _, wrong := range []string{"test x --tsak y", "test a b", "tset", `test x --task y --report doc=x`, "test x --viewport watch", "doctor now"} {
		if check(wrong) == nil {
			t.Errorf("understudy %s is taken for right", wrong)
		}
	}
}

// check reads a command line as the program would, up to running it.
func check(line string) error {
	words, err := shellwords.Parse(line) // up to ; | > and the like
	if err != nil {
		return err
	}
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "${") }) // lists of the script
	root := rootCommand()
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil {
			err = offered(cmd, f)
		}
	})
	return err
}

// offered reports values of a flag that are none of the words that shells complete it by.
func offered(cmd *cobra.Command, f *pflag.Flag) error {
	complete, known := cmd.GetFlagCompletionFunc(f.Name)
	if !known {
		return nil
	}
	words, how := complete(cmd, nil, "")
	if how&cobra.ShellCompDirectiveNoFileComp == 0 || f.Name == "fail-under" { // or a number alone
		return nil
	}
	values := []string{f.Value.String()}
	if several, ok := f.Value.(pflag.SliceValue); ok {
		values = several.GetSlice()
	}
	for _, value := range values {
		if form, _, given := strings.Cut(value, "="); given {
			value = form + "="
		}
		if !slices.Contains(words, value) {
			return fmt.Errorf("--%s: %q is none of %q", f.Name, value, words)
		}
	}
	return nil
}
