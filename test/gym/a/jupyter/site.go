// Package jupyter is a list of files and folders, with an editor for texts.
package jupyter

import (
	"os"
	"path/filepath"
	"strings"

	"understudy/test/gym/ground"
)

// Site is the shelf of a choir: nine files, some in folders.
var Site = ground.Site{
	Name: "jupyter", Kind: "files", What: "Jupyter Notebook 6.4.12, its file list and editor (Debian)", Licence: "BSD-3-Clause",
	Debian: []string{"jupyter-notebook"},
	Open: func(p *ground.Place) error {
		if err := ground.Write(filepath.Join(p.Dir, "choir"), files); err != nil {
			return err
		}
		return p.Serve(nil, "jupyter-notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port="+p.Port(), "--notebook-dir=choir",
			"--NotebookApp.token=", "--NotebookApp.password=", "--NotebookApp.quit_button=False", "--NotebookApp.terminals_enabled=False")
	},
	Tasks: []ground.Task{
		{
			Name: "rename",
			Text: `Rename the file "minuets of may.txt" to "minutes of may.txt".`,
			Done: func(p *ground.Place) (bool, error) {
				return there(p, "minutes of may.txt") && !there(p, "minuets of may.txt"), nil
			},
		},
		{
			Name: "move",
			Text: `Move the file "invoice of the hall.txt" into the folder Bills.`,
			Done: func(p *ground.Place) (bool, error) {
				return there(p, "Bills/invoice of the hall.txt") && !there(p, "invoice of the hall.txt"), nil
			},
		},
		{
			Name: "delete",
			Text: `Delete the file "old seating plan.txt".`,
			Done: func(p *ground.Place) (bool, error) {
				return !there(p, "old seating plan.txt") && there(p, "rehearsals.txt") && there(p, "minuets of may.txt"), nil
			},
		},
		{
			Name: "edit",
			Text: `We rehearse on Thursdays now, no longer on Mondays. Correct that in the file "rehearsals.txt".`,
			Done: func(p *ground.Place) (bool, error) {
				text := p.File("choir/rehearsals.txt")
				return strings.Contains(text, "Thursday") && !strings.Contains(text, "Monday") && strings.Contains(text, "thermos"), nil
			},
		},
	},
}

var files = map[string]string{
	"rehearsals.txt":                 "We rehearse on Mondays at half past seven in the parish hall.\n\nPlease bring your folder, and a thermos in winter.\n",
	"minuets of may.txt":             "Present: Agathe, Bror, Celine, Dov.\n\nThe summer concert takes place on 21 June. Bror asks for a piano.\n",
	"invoice of the hall.txt":        "Parish hall, rent for April to June: 180.00, due by the end of the month.\n",
	"old seating plan.txt":           "Sopranos on the left, basses on the right.\n",
	"members.csv":                    "name,voice,since\nAgathe,soprano,2009\nBror,bass,2015\nCeline,alto,2018\nDov,tenor,2022\n",
	"Bills/invoice of the tuner.txt": "Tuning of the piano: 95.00, paid in March.\n",
	"Concerts/summer.txt":            "Six songs of the sea, a break, then Brahms.\n",
	"Concerts/advent.txt":            "Carols of five countries.\n",
	"Sheet music/list.txt":           "Brahms, op. 62\nStanford, The Blue Bird\n",
}

func there(p *ground.Place, name string) bool {
	_, err := os.Stat(filepath.Join(p.Dir, "choir", filepath.FromSlash(name)))
	return err == nil
}
