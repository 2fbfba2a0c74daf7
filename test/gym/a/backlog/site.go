// Package backlog is a board with columns and cards, each card a file.
package backlog

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"understudy/test/gym/ground"
)

// Its program is in a package of its own, a dependency for this system.
const spec = "backlog.md-linux-x64@1.52.0"

// Site is the board of an office that moves house.
var Site = ground.Site{
	Name: "backlog", Kind: "kanban", What: "Backlog.md 1.52.0, its board (npm)", Licence: "MIT",
	NPM: []string{spec},
	Open: func(p *ground.Place) error {
		if err := ground.Write(p.Dir, files()); err != nil {
			return err
		}
		for _, dir := range []string{"drafts", "docs", "decisions", "milestones", "completed", "archive/tasks"} {
			if err := os.MkdirAll(filepath.Join(p.Dir, "backlog", dir), 0o755); err != nil {
				return err
			}
		}
		return p.Serve(nil, filepath.Join(ground.Package(spec), "backlog"), "browser", "--no-open", "--port", p.Port())
	},
	Tasks: []ground.Task{
		{
			Name: "move",
			Text: "Move the card Book the movers to Done.",
			Done: func(p *ground.Place) (bool, error) {
				all := cards(p)
				return all["Book the movers"] == "Done" && all["Order new chairs"] == "To Do" && all["Pack the library"] == "In Progress", nil
			},
		},
		{
			Name: "create",
			Text: `Put a new card on the board: "Return the old keys".`,
			Done: func(p *ground.Place) (bool, error) {
				all := cards(p)
				_, there := all["Return the old keys"]
				return there && len(all) == len(board)+1, nil
			},
		},
		{
			Name: "rename",
			Text: `Rename the card "Order new chairs" to "Order chairs and desks".`,
			Done: func(p *ground.Place) (bool, error) {
				all := cards(p)
				return all["Order chairs and desks"] == "To Do" && all["Order new chairs"] == "" && len(all) == len(board), nil
			},
		},
		{
			Name: "archive",
			Text: `The card "Water the plants" has become pointless. Archive it.`,
			Done: func(p *ground.Place) (bool, error) {
				all := cards(p)
				return all["Water the plants"] == "" && len(all) == len(board)-1, nil
			},
		},
		{
			Name: "dark",
			Text: "Switch the board to the dark theme.",
			Seen: &ground.Sight{Script: `document.documentElement.classList.contains('dark') && document.readyState == 'complete'`},
		},
	},
}

var board = []struct{ title, status, text string }{
	{"Order new chairs", "To Do", "Twelve chairs for the meeting room."},
	{"Water the plants", "To Do", "Until somebody takes them home."},
	{"Book the movers", "To Do", "Three men and a lorry for the 14th."},
	{"Pack the library", "In Progress", "Boxes stand in the corridor."},
	{"Measure the lift", "In Progress", "Does the big table fit?"},
	{"Cancel the coffee machine", "Done", "The lease ends in May."},
}

func files() map[string]string {
	out := map[string]string{"backlog/config.yml": `project_name: "Office move"
default_status: "To Do"
statuses: ["To Do", "In Progress", "Done"]
labels: []
date_format: yyyy-mm-dd
max_column_width: 20
auto_open_browser: false
default_port: 6420
remote_operations: false
auto_commit: false
filesystem_only: true
bypass_git_hooks: false
check_active_branches: false
active_branch_days: 30
task_prefix: "task"
`}
	for i, c := range board {
		name := fmt.Sprintf("backlog/tasks/task-%d - %s.md", i+1, strings.ReplaceAll(c.title, " ", "-"))
		out[name] = fmt.Sprintf("---\nid: TASK-%d\ntitle: %s\nstatus: %s\nassignee: []\ncreated_date: '2026-03-02 09:00'\nlabels: []\ndependencies: []\npriority: medium\nordinal: %d\n---\n\n"+
			"## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n%s\n<!-- SECTION:DESCRIPTION:END -->\n", i+1, c.title, c.status, (i+1)*1000, c.text)
	}
	return out
}

var head = regexp.MustCompile(`(?m)^(title|status): '?"?(.*?)"?'?$`)

// cards are the columns in which the cards lie, by title.
func cards(p *ground.Place) map[string]string {
	all := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(p.Dir, "backlog", "tasks", "*.md"))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		card := map[string]string{}
		for _, m := range head.FindAllStringSubmatch(string(text), 2) {
			card[m[1]] = m[2]
		}
		all[card["title"]] = card["status"]
	}
	return all
}
