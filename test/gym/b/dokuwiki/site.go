// Package dokuwiki is a wiki that keeps its pages as plain files.
package dokuwiki

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/test/gym/ground"
)

const (
	root  = "/usr/share/dokuwiki"
	login = "Log in as tilda with the password Screwdriver-31"
)

// Site is the wiki of a repair café, with eight pages.
var Site = ground.Site{
	Name: "dokuwiki", Kind: "wiki", What: "DokuWiki 2022-07-31 on PHP (Debian)", Licence: "GPL-2.0",
	Debian: []string{"dokuwiki", "php-cli", "php-intl", "php-mbstring", "php-xml"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("dokuwiki-2", prepare); err != nil {
			return err
		}
		// A page that is younger than its history counts as changed by somebody else.
		err := filepath.WalkDir(filepath.Join(p.Dir, "data", "pages"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return os.Chtimes(path, written, written)
		})
		if err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "correct",
			Text: login + `. On the page about the opening hours it says that we open at 9:30 on Saturdays. From now on it is 10:15; please correct it.`,
			Done: func(p *ground.Place) (bool, error) {
				now := page(p, "hours")
				return strings.Contains(now, "10:15") && !strings.Contains(now, "9:30") && strings.Contains(now, "Wednesday"), nil
			},
		},
		{
			Name: "write",
			Text: login + `. The start page has a link to "Spring flea market", a page that nobody has written yet. Write it: the market is on 9 May in the school yard.`,
			Done: func(p *ground.Place) (bool, error) {
				now := page(p, "spring_flea_market")
				return strings.Contains(now, "9 May") && strings.Contains(now, "school yard"), nil
			},
		},
		{
			Name: "profile",
			Text: login + ` and change the e-mail address of your profile to tilda@example.net.`,
			Done: func(p *ground.Place) (bool, error) {
				users := p.File("conf/users.auth.php")
				return strings.Contains(users, ":tilda@example.net:") && strings.Contains(users, "tilda:") && strings.Contains(users, "bruno:"), nil
			},
		},
		{
			Name: "find",
			Text: "Find out who of us keeps the key to the cellar.",
			Seen: &ground.Sight{Selector: "#dokuwiki__content p, #dokuwiki__content li, #dokuwiki__content td, #dokuwiki__content dd", Text: "Wilhelmina Oduya"},
		},
	},
}

var written = time.Date(2024, 2, 3, 10, 0, 0, 0, time.UTC)

func serve(p *ground.Place) error {
	return p.PHP(root, `define("DOKU_CONF", "`+p.Dir+`/conf/"); putenv("GYM_DIR=`+p.Dir+`");`)
}

func page(p *ground.Place, id string) string { return p.File("data/pages/" + id + ".txt") }

var pages = map[string]string{
	"start": `====== Repair café Millbrook ======

Broken toasters, torn jackets, silent radios: bring them, and we mend them together.

  * [[hours|Opening hours]]
  * [[rooms|Our rooms]]
  * [[tools|Tools]]
  * [[people|Who is who]]
  * [[insurance|What when something goes wrong]]
  * [[spring_flea_market|Spring flea market]]
`,
	"hours": `====== Opening hours ======

^ Day ^ From ^ Until ^
| Wednesday | 17:00 | 20:00 |
| Saturday | 9:30 | 13:00 |

In August we are closed.
`,
	"rooms": `====== Our rooms ======

We have three rooms in the old dairy, and a [[rooms:cellar|cellar]] for what is too big.

  * The front room, for electrical things
  * The back room, for clothes and sewing machines
  * The kitchen, for waiting and talking
`,
	"rooms:cellar": `====== Cellar ======

Bicycles and lawn mowers are mended here.

The light switch is behind the door on the left.

The key is with Wilhelmina Oduya, who lives across the street.

The floor is wet after rain: put everything on the shelves.
`,
	"tools": `====== Tools ======

Whoever borrows a tool writes it on the list by the door.

  * Two soldering irons
  * A set of bits for screws that want to stay closed
  * One sewing machine, one overlocker
`,
	"people": `====== Who is who ======

^ Name ^ Knows about ^
| Tilda Brandt | radios, this wiki |
| Bruno Castell | bicycles |
| Wil O. | furniture |
| Anneke Vos | clothes |
`,
	"insurance": `====== What when something goes wrong ======

Everybody signs the sheet before we open anything. The key points are on its back.
`,
	"archive:winter": `====== Winter meeting ======

We bought a second soldering iron. Anneke looks for thread.
`,
}

func prepare(p *ground.Place) error {
	files := map[string]string{
		"conf/local.php":           "<?php\n$conf['title'] = 'Repair café Millbrook';\n$conf['lang'] = 'en';\n$conf['license'] = '';\n$conf['useacl'] = 1;\n$conf['superuser'] = '@admin';\n$conf['disableactions'] = 'register';\n",
		"conf/local.protected.php": "<?php\n$conf['savedir'] = getenv('GYM_DIR') . '/data';\n$conf['updatecheck'] = 0;\n$conf['showuseras'] = 'username';\n",
		"conf/acl.auth.php":        "# <?php exit()?>\n*\t@ALL\t1\n*\t@user\t8\n",
		"conf/plugins.local.php":   "<?php\n$plugins['testing'] = 0;\n",
		"hash.php":                 `<?php foreach (['tilda' => 'Tilda Brandt', 'bruno' => 'Bruno Castell'] as $u => $n) echo "$u:", password_hash('Screwdriver-31', PASSWORD_BCRYPT), ":$n:$u@example.org:user\n";`,
	}
	changes := ""
	for id, text := range pages {
		name := strings.ReplaceAll(id, ":", "/")
		files["data/pages/"+name+".txt"] = text
		line := "1706954400\t127.0.0.1\tC\t" + id + "\tbruno\tcreated\t\t\n"
		files["data/meta/"+name+".changes"] = line
		changes += line
	}
	files["data/meta/_dokuwiki.changes"] = changes
	for _, dir := range []string{"attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "tmp"} {
		files["data/"+dir+"/.keep"] = ""
	}
	if err := ground.Write(p.Dir, files); err != nil {
		return err
	}
	users, err := p.Run(nil, "php", "hash.php")
	if err != nil {
		return err
	}
	if err := ground.Write(p.Dir, map[string]string{"conf/users.auth.php": "# <?php exit()?>\n" + users}); err != nil {
		return err
	}
	if err := serve(p); err != nil {
		return err
	}
	// Whoever looks at a page has it put in the index that is searched.
	for id := range pages {
		for _, path := range []string{"/doku.php?id=" + id, "/lib/exe/taskrunner.php?id=" + id} {
			if _, _, err := p.Ask("GET", path, ""); err != nil {
				return err
			}
		}
	}
	return nil
}
