// Package mediawiki is a wiki with accounts, histories and preferences.
package mediawiki

import (
	"encoding/json"
	"net/url"
	"strings"

	"understudy/test/gym/ground"
)

const (
	root  = "/usr/share/mediawiki"
	login = "Log in as Hanna with the password Rhubarb-crumble-8"
)

// Site is the wiki of an allotment society, with seven pages.
var Site = ground.Site{
	Name: "mediawiki", Kind: "wiki", What: "MediaWiki 1.39 on PHP with SQLite (Debian)", Licence: "GPL-2.0-or-later",
	Debian: []string{"mediawiki", "php-cli", "php-sqlite3", "php-intl", "php-mbstring", "php-xml"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("mediawiki-2", prepare); err != nil {
			return err
		}
		return p.PHP(root, `putenv("MW_CONFIG_FILE=`+p.Dir+`/settings.php"); putenv("GYM_ORIGIN=`+p.Origin+`");`)
	},
	Tasks: []ground.Task{
		{
			Name: "correct",
			Text: login + `. The page "Water pump" says that the pump is switched off in November. It is October: correct that.`,
			Done: func(p *ground.Place) (bool, error) {
				now, err := page(p, "Water pump")
				return strings.Contains(now.text, "October") && !strings.Contains(now.text, "November") && strings.Contains(now.text, "handle"), err
			},
		},
		{
			Name: "rename",
			Text: login + ` and rename the page "Compost heep" to "Compost heap".`,
			Done: func(p *ground.Place) (bool, error) {
				to, err := page(p, "Compost heap")
				if err != nil || !strings.Contains(to.text, "turned twice a year") {
					return false, err
				}
				from, err := page(p, "Compost heep")
				return from.missing || strings.HasPrefix(from.text, "#REDIRECT"), err
			},
		},
		{
			Name: "create",
			Text: login + ` and write a new page called "Summer party". It should say that the party is on 12 July at the shed.`,
			Done: func(p *ground.Place) (bool, error) {
				now, err := page(p, "Summer party")
				return strings.Contains(now.text, "12 July") && strings.Contains(now.text, "shed"), err
			},
		},
		{
			Name: "who",
			Text: `Find out who was the last to change the page "Rules".`,
			Seen: &ground.Sight{
				Selector: `#pagehistory li, #mw-diff-ntitle2, #mw-pageinfo-lastuser, .mw-changeslist-line:has(a[title="Rules"])`,
				Text:     "Ottokar", Address: "Rules|RecentChanges",
			},
		},
	},
}

type content struct {
	text    string
	missing bool
}

func page(p *ground.Place, title string) (content, error) {
	_, answer, err := p.Ask("GET", "/api.php?format=json&formatversion=2&action=query&prop=revisions&rvslots=main&rvprop=content&titles="+url.QueryEscape(title), "")
	if err != nil {
		return content{}, err
	}
	var said struct {
		Query struct {
			Pages []struct {
				Missing   bool
				Revisions []struct {
					Slots struct{ Main struct{ Content string } }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil {
		return content{}, err
	}
	if len(said.Query.Pages) == 0 || len(said.Query.Pages[0].Revisions) == 0 {
		return content{missing: true}, nil
	}
	return content{text: said.Query.Pages[0].Revisions[0].Slots.Main.Content}, nil
}

const settings = `<?php
$wgSitename = 'Millbrook Allotments';
$wgLogos = false;
$wgServer = getenv('GYM_ORIGIN') ?: 'http://127.0.0.1';
$wgScriptPath = '';
$wgUsePathInfo = true;
$wgDBtype = 'sqlite';
$wgDBname = 'wiki';
$wgSQLiteDataDir = __DIR__ . '/data';
$wgMainCacheType = CACHE_NONE;
$wgCacheDirectory = __DIR__ . '/cache';
$wgLanguageCode = 'en';
$wgLocaltimezone = 'UTC';
$wgSecretKey = 'gymgymgymgymgymgymgymgymgymgymgymgymgymgymgymgymgymgymgymgymgymg';
$wgUpgradeKey = 'gymgymgymgymgymg';
$wgEnableEmail = false;
$wgPasswordDefault = 'A';
$wgDefaultSkin = 'vector';
wfLoadSkin('Vector');
wfLoadSkin('MonoBook');
`

// pages are those of the wiki, each with who wrote it last.
var pages = []struct{ title, author, text string }{
	{"Main Page", "Hanna", "Welcome to the '''Millbrook Allotments'''. These pages are written by all of us.\n\n== Good to know ==\n* [[Rules]]\n* [[Water pump]]\n* [[Compost heep]]\n* [[Bee hives]]\n\n== Growing ==\n* [[Potatoes]]\n* [[Raspberries]]\n"},
	{"Rules", "Hanna", "Plots are kept free of weeds. Fires are lit in the autumn only.\n\nHedges are no higher than a metre."},
	{"Rules", "Ottokar", "Plots are kept free of weeds. Fires are lit in the autumn only, and never on a Sunday.\n\nHedges are no higher than a metre."},
	{"Water pump", "Ottokar", "The pump stands beside the gate. Its handle is turned to the left.\n\nIn November it is switched off, so that the pipes do not freeze."},
	{"Compost heep", "Hanna", "The heap behind the shed is for all. It is turned twice a year, in spring and in autumn.\n\nNo cooked food, please."},
	{"Bee hives", "Marisol", "Four hives stand in the orchard. Please keep ten paces away from their front.\n\nMarisol sells the honey in August."},
	{"Potatoes", "Marisol", "Plant them when the dandelions bloom. Early ones are lifted in June."},
	{"Raspberries", "Ottokar", "Canes that have borne fruit are cut down to the ground in September."},
}

func prepare(p *ground.Place) error {
	env := []string{"MW_CONFIG_FILE=" + p.Dir + "/settings.php"}
	php := func(input, script string, args ...string) error {
		if err := ground.Write(p.Dir, map[string]string{"input": input}); err != nil {
			return err
		}
		args = append([]string{"-c", `exec php "$0" "$@" < input`, root + "/maintenance/" + script}, args...)
		_, err := p.Run(env, "sh", args...)
		return err
	}
	if err := ground.Write(p.Dir, map[string]string{"cache/.keep": "", "data/.keep": ""}); err != nil {
		return err
	}
	if _, err := p.Run(nil, "php", root+"/maintenance/install.php", "--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", p.Dir+"/data", "--confpath", p.Dir,
		"--server", "http://127.0.0.1", "--scriptpath", "", "--pass", "Rhubarb-crumble-8", "Millbrook Allotments", "Hanna"); err != nil {
		return err
	}
	if err := ground.Write(p.Dir, map[string]string{"settings.php": settings}); err != nil {
		return err
	}
	for _, name := range []string{"Ottokar", "Marisol"} {
		if err := php("", "createAndPromote.php", name, "Long-radish-"+name); err != nil {
			return err
		}
	}
	for _, one := range pages {
		if err := php(one.text, "edit.php", "--user", one.author, one.title); err != nil {
			return err
		}
	}
	for _, script := range [][]string{{"runJobs.php"}, {"rebuildtextindex.php"}, {"rebuildLocalisationCache.php", "--lang", "en"}} {
		if err := php("", script[0], script[1:]...); err != nil {
			return err
		}
	}
	_, err := p.Run(nil, "php", "-r", aged)
	return err
}

// aged spreads what was written over days.
const aged = `$db = new PDO('sqlite:data/wiki.sqlite');
foreach ($db->query('SELECT rev_id FROM revision')->fetchAll() as [$id]) {
	$at = gmdate('YmdHis', gmmktime(18, 7 * $id, 0, 3, 2 * $id, 2026));
	$db->exec("UPDATE revision SET rev_timestamp='$at' WHERE rev_id=$id");
	$db->exec("UPDATE recentchanges SET rc_timestamp='$at' WHERE rc_this_oldid=$id");
}
`
