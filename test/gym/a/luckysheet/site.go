// Package luckysheet is a spreadsheet that is painted: its tabs and tool bar can
// be read, its cells cannot.
package luckysheet

import "understudy/test/gym/ground"

const spec = "luckysheet@2.1.13"

// Site is the workbook that the package shows itself with.
var Site = ground.Site{
	Name: "luckysheet", Kind: "canvas", What: "Luckysheet 2.1.13, its demonstration (npm)", Licence: "MIT", Static: true,
	NPM:  []string{spec},
	Open: ground.Files(ground.Package(spec), "dist"),
	Tasks: []ground.Task{
		{
			Name:  "read",
			Text:  "Find out which date stands in the cell F24 of the sheet \"Cell\".",
			Limit: "canvas",
		},
		{
			Name: "add",
			Text: "Add an empty sheet to the workbook.",
			Seen: &ground.Sight{Script: `window.luckysheet?.getAllSheets?.().length > (window.gymSheets ??= luckysheet.getAllSheets().length || undefined)`},
		},
		{
			Name: "rename",
			Text: `Rename the sheet "Cell" to "Cells of March".`,
			Seen: &ground.Sight{Script: `luckysheet.getAllSheets().some(s => /^cells of march$/i.test(s.name)) && !luckysheet.getAllSheets().some(s => s.name == 'Cell')`},
		},
	},
}
