package main

import (
	"io"
	"strings"
	"testing"
)

func TestACommandThatThereIsNotIsAnError(t *testing.T) {
	t.Parallel()
	for _, group := range rootCommand().Commands() {
		if !group.HasSubCommands() {
			continue
		}
		for args, want := range map[string]string{"": "", " bakcup": "unknown command"} {
			if group.Name() == "node" && args == "" {
				continue // it runs
			}
			root := rootCommand()
			root.SetOut(io.Discard)
			root.SetArgs(strings.Fields(group.Name() + args))
			if err := root.ExecuteContext(t.Context()); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("understudy %s%s: %v", group.Name(), args, err)
			}
		}
	}
}
