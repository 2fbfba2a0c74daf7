// Package roundcube is the mail of somebody: folders, a list, a preview in a
// frame, contacts and settings.
package roundcube

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/test/gym/ground"
)

const login = "Log in as nora with the password Harbour-31"

// Site is Nora's mail, on a mail server of her own.
var Site = ground.Site{
	Name: "roundcube", Kind: "mail", What: "Roundcube 1.6 on PHP, with Dovecot 2.3 (Debian)", Licence: "GPL-3.0-or-later",
	Debian: []string{"roundcube-core", "roundcube-sqlite3", "dovecot-imapd", "php-cli", "php-sqlite3", "php-intl", "php-mbstring", "php-xml"},
	Open:   open,
	Tasks: []ground.Task{
		{
			Name: "delete",
			Text: login + ` and delete the message "Win a cruise".`,
			Done: func(p *ground.Place) (bool, error) {
				return !holds(p, "", "Win a cruise") && len(subjects(p, "")) == len(inbox)-1, nil
			},
		},
		{
			Name: "move",
			Text: login + `. Move the message "Invoice for the bicycle" to the folder Bills.`,
			Done: func(p *ground.Place) (bool, error) {
				return holds(p, ".Bills", "Invoice for the bicycle") && !holds(p, "", "Invoice for the bicycle"), nil
			},
		},
		{
			Name: "folder",
			Text: login + ` and create a new folder for your mail, "Holidays".`,
			Done: func(p *ground.Place) (bool, error) {
				_, err := os.Stat(filepath.Join(p.Dir, "mail", ".Holidays"))
				return err == nil, nil
			},
		},
		{
			Name: "contact",
			Text: login + `. Put Jonas Weber with the address jonas@example.org in your contacts.`,
			Done: func(p *ground.Place) (bool, error) {
				out, err := p.Run(nil, "php", "-r", `foreach ((new PDO("sqlite:mail.db"))->query("SELECT * FROM contacts WHERE del=0") as $r) echo $r["email"], "|", $r["name"], "|", $r["firstname"], " ", $r["surname"], "\n";`)
				return strings.Contains(out, "jonas@example.org|") && strings.Contains(out, "Jonas Weber"), err
			},
		},
	},
}

type message struct{ from, subject, text string }

var inbox = []message{
	{"Tilda Moss <tilda@example.org>", "Dinner on Friday", "Shall we meet at seven at the harbour? I have booked a table for four."},
	{"Spoke and Wheel <shop@example.net>", "Invoice for the bicycle", "Thank you for your visit. The sum of 84.20 is due by the end of the month."},
	{"Lucky Cruises <win@example.net>", "Win a cruise", "You have been chosen! Answer within a day."},
	{"Library <desk@example.org>", "Two books are due", "Please bring them back by the 21st, or renew them."},
	{"Ivo Brandt <ivo@example.com>", "Plan of the garden", "I have drawn the beds anew. The pond moves to the left."},
	{"Choir <news@example.org>", "Rehearsal moved to Tuesday", "The hall is taken on Monday, so we sing on Tuesday at eight."},
}

const dovecot = `base_dir = DIR/run
state_dir = DIR/run
protocols = imap
listen = 127.0.0.1
log_path = DIR/dovecot.log
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
service imap-login {
  chroot =
  inet_listener imap {
    port = PORT
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
passdb {
  driver = static
  args = password=Harbour-31
}
userdb {
  driver = static
  args = uid=www-data gid=www-data home=DIR/mail
}
mail_location = maildir:DIR/mail
namespace inbox {
  inbox = yes
  separator = /
}
`

const settings = `<?php
$config = [];
$config['db_dsnw'] = 'sqlite:///DIR/mail.db?mode=0666';
$config['imap_host'] = '127.0.0.1:PORT';
$config['smtp_host'] = '127.0.0.1:9';
$config['mail_domain'] = 'example.com';
$config['product_name'] = 'Mail';
$config['des_key'] = 'gym-gym-gym-gym-gym-gymm';
$config['plugins'] = [];
$config['skin'] = 'elastic';
$config['language'] = 'en_GB';
$config['temp_dir'] = 'DIR/tmp';
$config['log_dir'] = 'DIR/tmp';
$config['enable_spellcheck'] = false;
$config['ip_check'] = false;
$config['session_domain'] = '';
$config['use_https'] = false;
`

func open(p *ground.Place) error {
	port, err := p.FreePort()
	if err != nil {
		return err
	}
	set := strings.NewReplacer("DIR", p.Dir, "PORT", port)
	files := map[string]string{"dovecot.conf": set.Replace(dovecot), "config/config.inc.php": set.Replace(settings), "tmp/.keep": "", "run/.keep": ""}
	for i, m := range inbox {
		date := time.Date(2026, 3, 2+i, 9, 10*i, 0, 0, time.UTC)
		files[fmt.Sprintf("mail/cur/%d.M%d.gym:2,S", date.Unix(), i)] = fmt.Sprintf("From: %s\r\nTo: Nora <nora@example.com>\r\nSubject: %s\r\nDate: %s\r\nMessage-ID: <%d@example.com>\r\n"+
			"Content-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n", m.from, m.subject, date.Format(time.RFC1123Z), i, m.text)
	}
	folders := []string{"Bills", "Friends", "Drafts", "Sent", "Trash", "Junk"}
	files["mail/subscriptions"] = strings.Join(folders, "\n") + "\n"
	for _, f := range folders {
		files["mail/."+f+"/cur/.keep"], files["mail/."+f+"/maildirfolder"] = "", ""
	}
	if err := ground.Write(p.Dir, files); err != nil {
		return err
	}
	// A mail server serves nobody's mail as root.
	_, err = p.Run(nil, "sh", "-c", `chmod 711 . && find mail -name .keep -delete && cp /etc/roundcube/defaults.inc.php /etc/roundcube/mimetypes.php config &&
		for d in mail mail/.[A-Z]*; do mkdir -p "$d/new" "$d/tmp" "$d/cur"; done && chown -R www-data:www-data mail &&
		php -r '$db = new PDO("sqlite:mail.db"); $db->exec(file_get_contents("/usr/share/roundcube/SQL/sqlite.initial.sql"));'`)
	if err != nil {
		return err
	}
	if _, err := p.Start(nil, "dovecot", "-F", "-c", "dovecot.conf"); err != nil {
		return err
	}
	for late := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := new(net.Dialer).DialContext(context.Background(), "tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(late) {
			return fmt.Errorf("the mail server does not answer: %w: %.800s", err, p.File("dovecot.log"))
		}
	}
	// Debian's PHP has its part of the application in places of its own.
	return p.PHP("/var/lib/roundcube/public_html", `putenv("ROUNDCUBE_CONFIG_DIR=`+p.Dir+`/config");`)
}

func holds(p *ground.Place, folder, subject string) bool {
	for _, s := range subjects(p, folder) {
		if s == subject {
			return true
		}
	}
	return false
}

// subjects are those of the messages in a folder that are not marked as deleted.
func subjects(p *ground.Place, folder string) (all []string) {
	paths, _ := filepath.Glob(filepath.Join(p.Dir, "mail", folder, "[cn][ue][rw]", "*"))
	for _, path := range paths {
		_, flags, _ := strings.Cut(filepath.Base(path), ":2,")
		text, _ := os.ReadFile(path)
		_, rest, ok := strings.Cut(string(text), "Subject: ")
		if subject, _, _ := strings.Cut(rest, "\r\n"); ok && !strings.Contains(flags, "T") {
			all = append(all, subject)
		}
	}
	return all
}
