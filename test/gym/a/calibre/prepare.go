package calibre

import (
	"encoding/json"

	"understudy/test/gym/ground"
)

// books have title, author, publisher, year and tag.
var books = [][]string{
	{"The Salt Road", "Nora Finch", "Heron & Daughters", "2011", "Travel"},
	{"The Tide Mill", "Nora Finch", "Grey Quay Press", "2014", "Novel"},
	{"Letters form the Lighthouse", "Tobias Amsel", "Grey Quay Press", "1998", "Letters"},
	{"Winter Bees", "Aino Laakso", "Northlight", "2019", "Nature"},
	{"A Clockmaker's Summer", "Piet Verhoeven", "Heron & Co", "2003", "Novel"},
	{"Seven Bridges", "Lucia Ferrante", "Northlight", "2008", "Travel"},
	{"The Apple Inspector", "Aino Laakso", "Orchard Lane", "2016", "Novel"},
	{"User manual of the dishwasher", "Brann Appliances", "Brann", "2020", "Unsorted"},
	{"Soup in Small Kitchens", "Lucia Ferrante", "Orchard Lane", "2012", "Cooking"},
}

// fill is run by the program's own interpreter, in the visitor's folder.
const fill = `
import json, datetime
from calibre.library import db
from calibre.ebooks.metadata.book.base import Metadata
from calibre.ebooks.covers import generate_cover
from calibre.gui2 import ensure_app
ensure_app()
api = db('Reading-circle').new_api
for title, author, publisher, year, tag in json.load(open('books.json')):
    m = Metadata(title, [author])
    m.publisher, m.tags, m.languages = publisher, [tag], ['eng']
    m.pubdate = datetime.datetime(int(year), 6, 15, 12, tzinfo=datetime.timezone.utc)
    m.comments = '<p>One of the books that our circle read together.</p>'
    m.cover_data = ('jpg', generate_cover(m))
    open('book.txt', 'w').write(title + '\n\n' + 'Once upon a time. ' * 40)
    api.add_books([(m, {'TXT': 'book.txt'})])
`

func prepare(p *ground.Place) error {
	list, err := json.Marshal(books)
	if err != nil {
		return err
	}
	if err := ground.Write(p.Dir, map[string]string{"books.json": string(list), "fill.py": fill, "Reading-circle/.keep": ""}); err != nil {
		return err
	}
	_, err = p.Run([]string{"QT_QPA_PLATFORM=offscreen"}, "calibre-debug", "fill.py")
	return err
}
