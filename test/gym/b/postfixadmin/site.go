// Package postfixadmin is where an office keeps its mailboxes and the addresses
// that lead to them.
package postfixadmin

import (
	"encoding/json"
	"strings"

	"understudy/test/gym/ground"
)

const (
	spec   = "postfixadmin"
	domain = "@linden-school.example"
	login  = "Log in as office" + domain + " with the password Harbour-lamp-44. "
)

// Site is the mail of a small school: four mailboxes and three more addresses.
var Site = ground.Site{
	Name: "postfixadmin", Kind: "admin", What: "Postfix Admin 3.3 on PHP with SQLite (Debian)", Licence: "GPL-2.0-or-later",
	Debian: []string{"php-cli", "php-sqlite3", "php-mbstring"},
	Unpack: []string{spec},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("postfixadmin-2", prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "mailbox", At: "login.php",
			Text: login + "A new teacher, Dario Menk, needs a mailbox. The address is dario" + domain + ", the password Paper-boat-58.",
			Done: func(p *ground.Place) (bool, error) {
				m, err := look(p)
				d := m.Mailboxes["dario"]
				return strings.Contains(d.Name, "Dario") && d.Active && d.Word && len(m.Mailboxes) == 5, err
			},
		},
		{
			Name: "redirect", At: "login.php",
			Text: login + "Mail to info" + domain + " goes to Anna until now. It is to go to carla" + domain + " instead; change that.",
			Done: func(p *ground.Place) (bool, error) {
				m, err := look(p)
				return m.Aliases["info"] == "carla"+domain && m.Aliases["anna"] == "anna"+domain && len(m.Aliases) == 7, err
			},
		},
		{
			Name: "off", At: "login.php",
			Text: login + "The trainee is away for a year. Set the mailbox trainee" + domain + " to inactive, without deleting it.",
			Done: func(p *ground.Place) (bool, error) {
				m, err := look(p)
				t, there := m.Mailboxes["trainee"]
				return there && !t.Active && m.Mailboxes["anna"].Active && m.Mailboxes["bram"].Active && m.Mailboxes["carla"].Active, err
			},
		},
		{
			Name: "delete", At: "login.php",
			Text: login + "Nobody writes to the alias jubilee" + domain + " any more. Remove it.",
			Done: func(p *ground.Place) (bool, error) {
				m, err := look(p)
				return m.Aliases["jubilee"] == "" && len(m.Aliases) == 6 && len(m.Mailboxes) == 4, err
			},
		},
	},
}

func serve(p *ground.Place) error { return p.PHP(p.Dir+"/www/public", "") }

type mail struct {
	Mailboxes map[string]struct {
		Name         string
		Active, Word bool
	}
	Aliases map[string]string
}

func look(p *ground.Place) (m mail, err error) {
	out, err := sql(p, `$all = ["Mailboxes" => new stdClass, "Aliases" => new stdClass];
		$r = $d->query("select local_part, name, active, password from mailbox");
		while ($c = $r->fetchArray()) $all["Mailboxes"]->{$c[0]} = ["Name" => $c[1], "Active" => (bool) $c[2], "Word" => password_verify("Paper-boat-58", $c[3])];
		$r = $d->query("select address, goto from alias");
		while ($c = $r->fetchArray()) $all["Aliases"]->{strtok($c[0], "@")} = $c[1];
		echo json_encode($all);`)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal([]byte(out), &m)
}

// sql runs PHP with the database as $d.
func sql(p *ground.Place, code string) (string, error) {
	return p.Run(nil, "php", "-r", `$d = new SQLite3("db/mail.db"); $d->busyTimeout(5000); `+code)
}

// prepare makes a copy that keeps its settings and its data beside itself, and
// fills it.
func prepare(p *ground.Place) error {
	if _, err := p.Run(nil, "sh", "-c", `cp -r "$0/usr/share/postfixadmin" www && find www -type l -delete && mkdir www/templates_c &&
		cp "$0/etc/postfixadmin/config.inc.php" www/`, ground.Folder(spec)); err != nil {
		return err
	}
	err := ground.Write(p.Dir, map[string]string{
		"db/mail.db":           "",
		"www/dbconfig.inc.php": "<?php $dbuser = $dbpass = $basepath = $dbserver = $dbport = $dbname = ''; $dbtype = 'sqlite';\n",
		"www/config.local.php": `<?php
$CONF['database_type'] = 'sqlite';
$CONF['database_name'] = dirname(__DIR__) . '/db/mail.db';
$CONF['encrypt'] = 'php_crypt:SHA512';
$CONF['emailcheck_resolve_domain'] = 'NO';
$CONF['fetchmail'] = 'NO';
$CONF['sendmail'] = 'NO';
$CONF['show_footer_text'] = 'NO';
// Nothing here takes the letter that welcomes the owner of a new mailbox.
$CONF['mailbox_struct_hook'] = 'unwelcome';
function unwelcome($struct) { $struct['welcome_mail']['default'] = 0; return $struct; }
`,
	})
	if err != nil {
		return err
	}
	if err := serve(p); err != nil {
		return err
	}
	if _, _, err := p.Ask("GET", "/upgrade.php", ""); err != nil {
		return err
	}
	_, err = sql(p, `$at = "`+domain+`"; $of = substr($at, 1); $then = "2024-02-03 10:00:00";
		$run = fn($s) => $d->exec($s) || exit(1);
		$word = crypt("Harbour-lamp-44", '$6$rounds=5000$lindenlinden$');
		$run("insert into admin (username, password, superadmin, created, modified) values ('office$at', '$word', 1, '$then', '$then')");
		$run("insert into domain_admins (username, domain, created) values ('office$at', 'ALL', '$then')");
		$run("insert into domain (domain, description, transport, created, modified) values ('$of', 'Linden School', 'virtual', '$then', '$then')");
		foreach (["anna" => "Anna Sorel", "bram" => "Bram Decker", "carla" => "Carla Nunes", "trainee" => "Trainee"] as $u => $name) {
			$run("insert into mailbox (username, password, name, maildir, local_part, domain, created, modified) values ('$u$at', '$word', '$name', '$of/$u/', '$u', '$of', '$then', '$then')");
			$run("insert into alias (address, goto, domain, created, modified) values ('$u$at', '$u$at', '$of', '$then', '$then')");
		}
		foreach (["info" => "anna$at", "board" => "bram$at,carla$at", "jubilee" => "bram$at"] as $u => $to)
			$run("insert into alias (address, goto, domain, created, modified) values ('$u$at', '$to', '$of', '$then', '$then')");`)
	return err
}
