// Package borgdocs is the manual of a program for backups, with a search that
// runs in the browser.
package borgdocs

import "understudy/test/gym/ground"

// docs is the manual with what its pages load.
const docs = "borgbackup-doc libjs-sphinxdoc libjs-jquery libjs-underscore libjs-bootstrap fonts-liberation"

// Site is the manual as it is in Debian.
var Site = ground.Site{
	Name: "borgdocs", Kind: "documentation", What: "BorgBackup 1.2.4, its manual (Debian)", Licence: "BSD-3-Clause", Static: true,
	Unpack: []string{docs},
	Open:   ground.Files(ground.Folder(docs), "usr/share/doc/borgbackup/html"),
	Tasks: []ground.Task{
		{
			Name: "letter",
			Text: `Your backup program, Borg, has put the letter C before a file in the list of what it saved. Find out what that letter means.`,
			Seen: &ground.Sight{Selector: "li, dd, p", Text: `^.C.\s*= regular file, it changed`},
		},
		{
			Name: "full",
			Text: "There is no room left on the disk with your backups. Find out what the manual of Borg advises to do.",
			Seen: &ground.Sight{Selector: "#my-backup-disk-is-full-what-can-i-do p, #my-backup-disk-is-full-what-can-i-do li", Address: "faq|book"},
		},
		{
			Name: "compression",
			Text: "Find out how Borg compresses your files when you do not say anything about it.",
			Seen: &ground.Sight{Selector: "p, dd, li, td, pre span", Text: `default[^.]{0,60}lz4|lz4[^.]{0,60}default`},
		},
	},
}
