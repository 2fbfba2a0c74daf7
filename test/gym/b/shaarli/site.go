// Package shaarli is somebody's public bookmarks.
package shaarli

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"understudy/test/gym/ground"
)

// Site has eight bookmarks.
var Site = ground.Site{
	Name: "shaarli", Kind: "bookmarks", What: "Shaarli 0.12.1 on PHP (Debian)", Licence: "Zlib",
	Debian: []string{"shaarli", "php-cli", "php-intl", "php-mbstring", "php-xml"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("shaarli-2", prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "add",
			Text: `Log in as robin with the password Lake-2024 and save the link https://example.org/tides under the title "Tide tables".`,
			Done: func(p *ground.Place) (bool, error) {
				return holds(p, `foreach ($links as $l) if (stripos($l->getTitle(), 'Tide tables') !== false && strpos($l->getUrl(), 'example.org/tides')) echo 'yes';`)
			},
		},
		{
			Name: "delete",
			Text: `Log in as robin with the password Lake-2024 and delete the link "Cheap flights".`,
			Done: func(p *ground.Place) (bool, error) {
				return holds(p, `$n = 0; $gone = true; foreach ($links as $l) { $n++; if ($l->getTitle() == 'Cheap flights') $gone = false; } if ($gone && $n >= 7) echo 'yes';`)
			},
		},
		{
			Name: "title",
			Text: `Log in as robin with the password Lake-2024 and change the title of these pages to "Robin's finds".`,
			Done: func(p *ground.Place) (bool, error) {
				return strings.Contains(p.File("www/data/config.json.php"), `Robin's finds`), nil
			},
		},
		{
			Name: "find",
			Text: "Show only the links that have the tag cooking.",
			Seen: &ground.Sight{Selector: ".linklist-item-title, .linklist-item", Text: "Bread without kneading", Address: "searchtags=cooking|add-tag/cooking"},
		},
	},
}

func serve(p *ground.Place) error { return p.PHP(filepath.Join(p.Dir, "www"), "", "www/index.php") }

// holds asks a question in PHP about the bookmarks, a file of PHP's own format.
func holds(p *ground.Place, question string) (bool, error) {
	out, err := p.Run(nil, "php", "-d", "display_errors=0", "-r", `chdir('www'); require 'autoload.php';
		$links = unserialize(gzinflate(base64_decode(substr(file_get_contents('data/datastore.php'), 8, -6)))); `+question)
	return strings.Contains(out, "yes"), err
}

var token = regexp.MustCompile(`name="token" value="([^"]*)"`)

// prepare installs a copy that keeps its data beside itself, where Debian's has
// one place for the whole machine, and saves the links through its own forms.
func prepare(p *ground.Place) error {
	if _, err := p.Run(nil, "sh", "-c", `mkdir www && cd /usr/share/shaarli && tar -ch --exclude=./cache --exclude=./doc . | tar -x -C "$0/www" && cd "$0/www" &&
		mkdir data cache tmp pagecache && grep -rlE '/(usr/share|var/lib|var/cache)/shaarli' . | xargs sed -i -E 's#/var/(lib|cache)/shaarli/##g'`, p.Dir); err != nil {
		return err
	}
	if err := serve(p); err != nil {
		return err
	}
	cookie := []string{}
	form := func(path string, values url.Values) error {
		_, page, err := p.Ask("GET", path, "", cookie...)
		if found := token.FindStringSubmatch(page); found != nil {
			values.Set("token", found[1])
		}
		if err != nil {
			return err
		}
		status, page, err := p.Ask("POST", path, values.Encode(), append(cookie, "Content-Type", "application/x-www-form-urlencoded")...)
		if err == nil && status >= 400 {
			err = fmt.Errorf("%s: %d: %.800s", path, status, page)
		}
		return err
	}
	if err := form("/install", url.Values{"setlogin": {"robin"}, "setpassword": {"Lake-2024"}, "continent": {"Europe"}, "city": {"Zurich"}, "title": {"Robin's links"}, "updateCheck": {""}}); err != nil {
		return err
	}
	return ground.Write(p.Dir, map[string]string{"fill.php": fill})
}

const fill = ``
