// Package pgdocs is the manual of a database: a thousand pages and no search.
package pgdocs

import "understudy/test/gym/ground"

// Site is the manual as Debian has it.
var Site = ground.Site{
	Name: "pgdocs", Kind: "documentation", What: "PostgreSQL 15 manual (Debian postgresql-doc-15)", Licence: "PostgreSQL", Static: true,
	Unpack: []string{"postgresql-doc-15"},
	Open:   ground.Files(ground.Folder("postgresql-doc-15"), "usr/share/doc/postgresql-doc-15/html"),
	Tasks: []ground.Task{
		{
			Name: "vacuum",
			Text: "Find the page that describes the command VACUUM.",
			Seen: &ground.Sight{Selector: "h2", Text: "^VACUUM", Address: "^/sql-vacuum"},
		},
		{
			Name: "money",
			Text: "Find out how many bytes a value of the type money takes in storage.",
			Seen: &ground.Sight{Selector: "tr, p", Text: "money[\\s\\S]*8 bytes", Address: "datatype-money"},
		},
		{
			Name: "password",
			Text: "Find out in which file passwords can be kept so that programs that connect do not ask for them.",
			Seen: &ground.Sight{Selector: "p", Text: "\\.pgpass", Address: "pgpass"},
		},
	},
}
