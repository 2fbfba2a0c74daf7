// Package adminer is an editor of records: tables, filters, forms.
package adminer

import (
	"path/filepath"
	"strings"

	"understudy/test/gym/ground"
)

const login = "Log in as purser with the password Oarlock-44"

// Site is the register of a rowing club.
var Site = ground.Site{
	Name: "adminer", Kind: "records", What: "Adminer Editor 4.8.1 on PHP with SQLite (Debian)", Licence: "Apache-2.0 or GPL-2.0",
	Debian: []string{"adminer", "php-cli", "php-sqlite3"},
	Open: func(p *ground.Place) error {
		if err := ground.Write(p.Dir, map[string]string{"www/index.php": index, "club.sql": club}); err != nil {
			return err
		}
		if _, err := p.Run(nil, "php", "-r", `(new PDO("sqlite:club.db"))->exec(file_get_contents("club.sql"));`); err != nil {
			return err
		}
		return p.PHP(filepath.Join(p.Dir, "www"), "")
	},
	Tasks: []ground.Task{
		{
			Name: "add",
			Text: login + `. Ruben Hale from Poole has joined the club. Add him to the members.`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, `SELECT count(*) || '|' || sum(name = 'Ruben Hale' AND town = 'Poole') FROM members`, "10|1")
			},
		},
		{
			Name: "change",
			Text: login + `. The member Moira Keane has a new phone number, 01202 555 0199. Change it.`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, `SELECT count(*) || '|' || phone FROM members WHERE name = 'Moira Keane' AND town = 'Wareham'`, "1|01202 555 0199")
			},
		},
		{
			Name: "delete",
			Text: login + `. The boat "Old Nellie" has been sold. Delete it from the boats.`,
			Done: func(p *ground.Place) (bool, error) {
				return is(p, `SELECT count(*) || '|' || sum(name = 'Old Nellie') FROM boats`, "5|0")
			},
		},
		{
			Name: "find",
			Text: login + ` and find out how many seats the boat "Kingfisher" has.`,
			Seen: &ground.Sight{Selector: "td, input", Text: `^\s*4\s*$`, Address: "select=boats|edit=boats"},
		},
	},
}

// is tells whether the database answers so.
func is(p *ground.Place, question, answer string) (bool, error) {
	said, err := p.Run([]string{"QUESTION=" + question}, "php", "-r", `echo (new PDO("sqlite:club.db"))->query(getenv("QUESTION"))->fetchColumn();`)
	return strings.TrimSpace(said) == answer, err
}

// index makes the editor that of the club, as its manual says.
const index = `<?php
function adminer_object() {
	class Club extends Adminer {
		function head() { echo script('verifyVersion = function () {};'); return true; } // asks nobody for a newer version
		function name() { return 'Rowing club'; }
		function database() { return dirname(__DIR__) . '/club.db'; }
		function credentials() { return array('', '', ''); }
		function login($login, $password) { return $login == 'purser' && $password == 'Oarlock-44'; }
		function tableName($table) { return h(ucfirst($table['Name'])); }
		function fieldName($field, $order = 0) { return $field['field'] == 'id' ? '' : h(ucfirst($field['field'])); }
		function loginFormField($name, $heading, $value) {
			return parent::loginFormField($name, $heading, str_replace('value="server"', 'value="sqlite"', $value));
		}
	}
	return new Club;
}
include '/usr/share/adminer/editor.php';
`

const club = `
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT, phone TEXT, joined INTEGER);
INSERT INTO members (name, town, phone, joined) VALUES
	('Moira Keane', 'Wareham', '01929 555 0142', 2011), ('Sefton Oyelaran', 'Poole', '01202 555 0117', 2015),
	('Ida Brandvold', 'Swanage', '01929 555 0163', 2019), ('Karl Hume', 'Wareham', '01929 555 0108', 2003),
	('Jinan Saleh', 'Bournemouth', '01202 555 0175', 2021), ('Moira Dunne', 'Poole', '01202 555 0126', 2018),
	('Petr Zelenka', 'Corfe', '01929 555 0191', 2020), ('Alma Reyes', 'Poole', '01202 555 0154', 2014), ('Hugh Penrose', 'Swanage', '01929 555 0130', 1998);
CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT NOT NULL, seats INTEGER, built INTEGER, state TEXT);
INSERT INTO boats (name, seats, built, state) VALUES
	('Heron', 2, 2009, 'good'), ('Kingfisher', 4, 2016, 'good'), ('Old Nellie', 8, 1971, 'leaks'),
	('Sandpiper', 1, 2020, 'new'), ('Tern', 2, 2012, 'rudder loose'), ('Puffin', 1, 2005, 'good');
CREATE TABLE outings (id INTEGER PRIMARY KEY, day TEXT, boat TEXT, crew TEXT);
INSERT INTO outings (day, boat, crew) VALUES
	('2026-04-04', 'Heron', 'Karl, Alma'), ('2026-04-11', 'Kingfisher', 'Moira K., Petr, Jinan, Hugh'), ('2026-04-12', 'Sandpiper', 'Ida');
`
