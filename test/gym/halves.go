package main

import (
	"understudy/test/gym/a/actual"
	"understudy/test/gym/a/adminer"
	"understudy/test/gym/a/backlog"
	"understudy/test/gym/a/borgdocs"
	"understudy/test/gym/a/calibre"
	"understudy/test/gym/a/cups"
	"understudy/test/gym/a/fossil"
	"understudy/test/gym/a/hledger"
	"understudy/test/gym/a/hof"
	"understudy/test/gym/a/hoteldruid"
	"understudy/test/gym/a/jupyter"
	"understudy/test/gym/a/luckysheet"
	"understudy/test/gym/a/mapshaper"
	"understudy/test/gym/a/mediawiki"
	"understudy/test/gym/a/miniflux"
	"understudy/test/gym/a/pgdocs"
	"understudy/test/gym/a/pocketbase"
	"understudy/test/gym/a/qbittorrent"
	"understudy/test/gym/a/radicale"
	"understudy/test/gym/a/roundcube"
	"understudy/test/gym/a/shaarli"
	"understudy/test/gym/a/syncthing"
	"understudy/test/gym/a/tiddlywiki"
	"understudy/test/gym/a/todomvc"
	"understudy/test/gym/a/transmission"
	"understudy/test/gym/a/videojs"
	"understudy/test/gym/b/dokuwiki"
	"understudy/test/gym/b/nzbget"
	"understudy/test/gym/b/postfixadmin"
	"understudy/test/gym/ground"
)

// halves are the sites: a is open to everybody, b stays closed until the end.
var halves = map[string][]ground.Site{
	"a": {
		actual.Site, adminer.Site, backlog.Site, borgdocs.Site, calibre.Site, cups.Site, fossil.Site, hledger.Site, hof.Site, hoteldruid.Site,
		jupyter.Site, luckysheet.Site, mapshaper.Site, mediawiki.Site, miniflux.Site, pgdocs.Site, pocketbase.Site, qbittorrent.Site,
		radicale.Site, roundcube.Site, shaarli.Site, syncthing.Site, tiddlywiki.Site, todomvc.Site, transmission.Site, videojs.Site,
	},
	"b": {
		dokuwiki.Site, nzbget.Site, postfixadmin.Site,
	},
}
