// Package shaarli is somebody's public bookmarks.
package shaarli

import (
	"path/filepath"
	"strings"

	"understudy/test/gym/ground"
)

// Site has eight bookmarks.
var Site = ground.Site{
	Name: "shaarli", Kind: "bookmarks", What: "Shaarli 0.12.1 on PHP (Debian)", Licence: "Zlib",
	Debian: []string{"shaarli", "php-cli", "php-intl", "php-mbstring", "php-xml"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("shaarli-4", prepare); err != nil {
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

func serve(p *ground.Place) error {
	return p.PHP(filepath.Join(p.Dir, "www"), "", "router.php")
}

// holds asks a question in PHP about the bookmarks, a file of PHP's own format.
func holds(p *ground.Place, question string) (bool, error) {
	out, err := p.Run(nil, "php", "-d", "display_errors=0", "-r", `chdir('www'); require 'autoload.php';
		$links = unserialize(gzinflate(base64_decode(substr(file_get_contents('data/datastore.php'), 8, -6)))); `+question)
	return strings.Contains(out, "yes"), err
}

// prepare installs a copy that keeps its data beside itself, where Debian's has
// one place for the whole machine, and fills it.
func prepare(p *ground.Place) error {
	files := map[string]string{"router.php": router, "fill.php": fill}
	if err := ground.Write(p.Dir, files); err != nil {
		return err
	}
	_, err := p.Run(nil, "sh", "-c", `mkdir www && cd /usr/share/shaarli && tar -ch --exclude=./cache --exclude=./doc . | tar -x -C "$0/www" && cd "$0/www" &&
		mkdir data cache tmp pagecache &&
		sed -i "s#'/usr/share/shaarli/autoload.php'#__DIR__ . '/autoload.php'#" index.php init.php &&
		grep -rlE '/var/(lib|cache)/shaarli' . | xargs sed -i -E 's#/var/(lib|cache)/shaarli/##g' && php ../fill.php`, p.Dir)
	return err
}

// router lets PHP's own server give out files, and the application the rest.
const router = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (preg_match('#^/(tpl|assets|inc|plugins)/.*[.](css|js|png|ico|svg|woff2?|ttf)$#', $path) && is_file($_SERVER['DOCUMENT_ROOT'] . $path)) return false;
chdir($_SERVER['DOCUMENT_ROOT']);
$_SERVER['SCRIPT_NAME'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
`

// fill is run in the application's folder.
const fill = `<?php
error_reporting(0);
require 'autoload.php';
foreach (['bookmark/LinkUtils', 'config/ConfigPlugin', 'http/HttpUtils', 'http/UrlUtils', 'TimeZone', 'Utils'] as $f) require_once "application/$f.php";
$conf = new \Shaarli\Config\ConfigManager('data/config');
new \Shaarli\Languages('en', $conf);
foreach (['general.timezone' => 'Europe/Zurich', 'general.title' => "Robin's links", 'general.header_link' => '/', 'credentials.login' => 'robin', 'credentials.salt' => 'salt',
	'credentials.hash' => sha1('Lake-2024' . 'robin' . 'salt'), 'updates.check_updates' => false, 'general.retrieve_description' => false, 'general.enable_async_metadata' => false,
	'thumbnails.mode' => 'none', 'privacy.default_private_links' => false, 'formatter' => 'default', 'general.root_url' => ''] as $name => $value) $conf->set($name, $value);
$conf->write(true);
$history = new \Shaarli\History('data/history.php');
$all = new \Shaarli\Bookmark\BookmarkFileService($conf, $history, new \malkusch\lock\mutex\FlockMutex(fopen('init.php', 'r'), 2), true);
foreach ($all->search([], 'all') as $old) $all->remove($old, false);
$day = 1;
foreach ([
	['Bread without kneading', 'https://example.org/bread', 'cooking winter'],
	['Cheap flights', 'https://example.org/flights', 'travel'],
	['Night trains of Europe', 'https://example.org/trains', 'travel'],
	['How a bicycle chain is cleaned', 'https://example.org/chain', 'bicycle repair'],
	['Soup for a crowd', 'https://example.org/soup', 'cooking'],
	['Bird songs of the lake', 'https://example.org/birds', 'nature'],
	['Darning socks', 'https://example.org/socks', 'repair'],
	['Stars in March', 'https://example.org/stars', 'nature winter'],
] as [$title, $url, $tags]) {
	$b = new \Shaarli\Bookmark\Bookmark();
	$b->setTitle($title); $b->setUrl($url); $b->setTagsString($tags); $b->setDescription(''); $b->setPrivate(false);
	$b->setCreated(new DateTime('2024-03-' . sprintf('%02d', $day++) . ' 10:00'));
	$all->add($b, false);
}
$all->save();
`
