// Package hoteldruid is what the people at the desk of a small hotel work with:
// guests, rooms, wide forms and tables of the old kind.
package hoteldruid

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"understudy/test/gym/ground"
)

const root = "/usr/share/hoteldruid"

// Site is a hotel with five rooms and six guests on record.
var Site = ground.Site{
	Name: "hoteldruid", Kind: "hotel", What: "HotelDruid 3.0.4 on PHP with SQLite (Debian)", Licence: "AGPL-3.0",
	Debian: []string{"hoteldruid", "php-cli", "php-sqlite3", "php-mbstring"},
	Open: func(p *ground.Place) error {
		// It keeps a book for each year.
		if err := p.Prepared(fmt.Sprintf("hoteldruid-2-%d", time.Now().Year()), prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "add", At: "inizio.php",
			Text: "Somebody new has asked for a room. Enter her as a client: surname Calder, name Ines, telephone 0171 555 0199.",
			Done: func(p *ground.Place) (bool, error) {
				h, err := look(p)
				c := h.Clients["Calder"]
				return c.Name == "Ines" && digits(c.Phone) == "01715550199" && len(h.Clients) == clients+1, err
			},
		},
		{
			Name: "phone", At: "inizio.php",
			Text: "The client Bernard Kowal has got a new telephone number, 0171 555 0142. Change it in his data.",
			Done: func(p *ground.Place) (bool, error) {
				h, err := look(p)
				c := h.Clients["Kowal"]
				return c.Name == "Bernard" && digits(c.Phone) == "01715550142" && len(h.Clients) == clients, err
			},
		},
		{
			Name: "delete", At: "inizio.php",
			Text: `Somebody entered a client named "Sample" only to try things out. Delete this client, and nobody else.`,
			Done: func(p *ground.Place) (bool, error) {
				h, err := look(p)
				_, there := h.Clients["Sample"]
				return err == nil && !there && len(h.Clients) == clients-1, err
			},
		},
		{
			Name: "room", At: "inizio.php",
			Text: "We have put another bed into room 03. Its maximum capacity is 4 people now: change that in the table of rooms.",
			Done: func(p *ground.Place) (bool, error) {
				h, err := look(p)
				return h.Rooms["03"] == 4 && h.Rooms["01"] == 2 && h.Rooms["02"] == 2 && h.Rooms["04"] == 2 && len(h.Rooms) == 5, err
			},
		},
	},
}

const clients = 6

func serve(p *ground.Place) error {
	return p.PHP(root, fmt.Sprintf(`define("C_DATI_PATH", "%s/data"); define("C_CARTELLA_CREA_MODELLI", "%[1]s/pages");`, p.Dir))
}

type hotel struct {
	Clients map[string]struct{ Name, Phone string }
	Rooms   map[string]int
}

func look(p *ground.Place) (h hotel, err error) {
	out, err := sql(p, `$all = ["Clients" => new stdClass, "Rooms" => new stdClass];
		$r = $d->query("select cognome, nome, telefono from clienti");
		while ($c = $r->fetchArray()) $all["Clients"]->{$c[0]} = ["Name" => (string) $c[1], "Phone" => (string) $c[2]];
		$r = $d->query("select idappartamenti, maxoccupanti from appartamenti");
		while ($c = $r->fetchArray()) $all["Rooms"]->{$c[0]} = (int) $c[1];
		echo json_encode($all);`)
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal([]byte(out), &h)
}

// sql runs PHP with the database as $d.
func sql(p *ground.Place, code string) (string, error) {
	return p.Run(nil, "php", "-r", `$d = new SQLite3("data/db_hoteldruid"); $d->busyTimeout(5000); `+code)
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func prepare(p *ground.Place) error {
	if err := ground.Write(p.Dir, map[string]string{"data/.keep": "", "pages/.keep": ""}); err != nil {
		return err
	}
	if err := serve(p); err != nil {
		return err
	}
	for _, step := range []string{"/creadb.php lingua=en", "/inizio.php nuovo_mess=1"} {
		path, form, _ := strings.Cut(step, " ")
		if _, _, err := p.Ask(http.MethodPost, path, form, "Content-Type", "application/x-www-form-urlencoded"); err != nil {
			return err
		}
	}
	_, err := sql(p, `foreach ([["Lind", "Rosa", "Leeds", "0113 555 0107"], ["Kowal", "Bernard", "London", "0171 555 0130"], ["Petri", "Olga", "Hull", "01482 555 011"],
		["Sample", "Sam", "Nowhere", "000"], ["Kovacs", "Bela", "Bristol", "0117 555 0161"], ["Fenn", "Susan", "Selby", "01757 555 024"]] as $i => $c)
		$d->exec("insert into clienti (idclienti, cognome, nome, citta, telefono, max_num_ordine, idclienti_compagni, datainserimento, hostinserimento, utente_inserimento)
			values (" . ($i + 1) . ", '$c[0]', '$c[1]', '$c[2]', '$c[3]', 1, ',', '2024-02-03 10:00:00', '127.0.0.1', 1)") || exit(1);
		$d->exec("update appartamenti set maxoccupanti = 2, numcasa = 'Garden house', numpiano = '1'") || exit(1);
		$d->exec("update appartamenti set maxoccupanti = 3, numpiano = '2' where idappartamenti in ('03', '05')") || exit(1);`)
	return err
}
