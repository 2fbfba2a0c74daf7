package main

import (
	"understudy/test/gym/a/fossil"
	"understudy/test/gym/a/hledger"
	"understudy/test/gym/a/hof"
	"understudy/test/gym/a/luckysheet"
	"understudy/test/gym/a/pgdocs"
	"understudy/test/gym/a/tiddlywiki"
	"understudy/test/gym/a/todomvc"
	"understudy/test/gym/a/transmission"
	"understudy/test/gym/b/backlog"
	"understudy/test/gym/b/mapshaper"
	"understudy/test/gym/b/pocketbase"
	"understudy/test/gym/b/radicale"
	"understudy/test/gym/b/roundcube"
	"understudy/test/gym/b/shaarli"
	"understudy/test/gym/b/syncthing"
	"understudy/test/gym/b/videojs"
	"understudy/test/gym/ground"
)

// halves are the sites: a is open to everybody, b stays closed until the end.
var halves = map[string][]ground.Site{
	"a": {fossil.Site, hledger.Site, hof.Site, luckysheet.Site, pgdocs.Site, todomvc.Site, tiddlywiki.Site, transmission.Site},
	"b": {backlog.Site, mapshaper.Site, pocketbase.Site, radicale.Site, roundcube.Site, shaarli.Site, syncthing.Site, videojs.Site},
}
