// Package cups is a print server: printers, their queues and how they print.
package cups

import (
	"strings"

	"understudy/test/gym/ground"
)

// Site has four printers of a school and five jobs that wait.
var Site = ground.Site{
	Name: "cups", Kind: "printers", What: "CUPS 2.4.2, web interface (Debian)", Licence: "Apache-2.0",
	Debian: []string{"cups"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("cups-1", prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "default",
			Text: "The printer Library should be the default printer of this server from now on.",
			Done: func(p *ground.Place) (bool, error) {
				said, err := lpstat(p, "-d")
				return strings.HasSuffix(strings.TrimSpace(said), ": Library"), err
			},
		},
		{
			Name: "cancel",
			Text: `Nobody needs the print job "Poster of the bake sale" any more. Cancel it.`,
			Done: func(p *ground.Place) (bool, error) {
				waiting, err := lpstat(p, "-o")
				return !strings.Contains(waiting, "Staffroom-3 ") && strings.Count(waiting, "\n") == len(jobs)-1, err
			},
		},
		{
			Name: "pause",
			Text: "The printer Workshop is out of toner. Pause it, so that nothing is printed on it for now.",
			Done: func(p *ground.Place) (bool, error) {
				said, err := lpstat(p, "-p")
				return strings.Contains(said, "printer Workshop disabled") && strings.Count(said, " disabled") == 1, err
			},
		},
		{
			Name: "paper",
			Text: "Unless told otherwise, the printer Reception should print on A5 paper. Change its default options.",
			Done: func(p *ground.Place) (bool, error) {
				return strings.Contains(p.File("ppd/Reception.ppd"), "*DefaultPageSize: A5\n"), nil
			},
		},
	},
}

var printers = []struct{ name, info, location string }{
	{"Library", "Laser printer beside the lending desk", "Ground floor"},
	{"Reception", "Small printer for letters", "Entrance"},
	{"Staffroom", "Copier with finisher", "First floor"},
	{"Workshop", "Old dot matrix printer", "Cellar"},
}

var jobs = []struct{ printer, owner, title string }{
	{"Library", "moira", "Reading list of class 4"},
	{"Reception", "dagfinn", "Letter to the parents"},
	{"Staffroom", "moira", "Poster of the bake sale"},
	{"Staffroom", "yusuf", "Timetable of the winter term"},
	{"Library", "dagfinn", "Labels for the shelves"},
}

const server = `LogLevel warn
Listen ADDRESS
Listen DIR/run/cups.sock
ServerAlias *
Browsing Off
WebInterface Yes
DefaultEncryption Never
DirtyCleanInterval 0
DefaultPaperSize A4
<Location />
  Order deny,allow
</Location>
<Policy default>
  JobPrivateAccess all
  JobPrivateValues none
  SubscriptionPrivateAccess all
  SubscriptionPrivateValues none
  <Limit All>
    Order deny,allow
  </Limit>
</Policy>
`

const files = `FileDevice Yes
ErrorLog DIR/log/error_log
AccessLog DIR/log/access_log
PageLog DIR/log/page_log
CacheDir DIR/cache
RequestRoot DIR/spool
ServerRoot DIR
StateDir DIR/run
TempDir DIR/spool/tmp
`

func serve(p *ground.Place) error {
	set := strings.NewReplacer("DIR", p.Dir, "ADDRESS", p.Address)
	if err := ground.Write(p.Dir, map[string]string{"cupsd.conf": set.Replace(server), "cups-files.conf": set.Replace(files), "log/.keep": "", "cache/.keep": "", "run/.keep": "", "spool/tmp/.keep": ""}); err != nil {
		return err
	}
	// Its pages are made by programs that run as nobody in particular.
	if _, err := p.Run(nil, "chmod", "711", "."); err != nil {
		return err
	}
	return p.Serve(nil, "cupsd", "-f", "-c", p.Dir+"/cupsd.conf", "-s", p.Dir+"/cups-files.conf")
}

func prepare(p *ground.Place) error {
	if err := serve(p); err != nil {
		return err
	}
	for _, one := range printers {
		if _, err := p.Run(nil, "lpadmin", "-h", p.Address, "-p", one.name, "-D", one.info, "-L", one.location, "-E", "-v", "file:///dev/null",
			"-m", "drv:///sample.drv/generpcl.ppd", "-o", "PageSize=A4"); err != nil {
			return err
		}
	}
	if _, err := p.Run(nil, "lpadmin", "-h", p.Address, "-d", "Staffroom"); err != nil {
		return err
	}
	for _, one := range jobs {
		if err := ground.Write(p.Dir, map[string]string{"job.txt": one.title + "\n"}); err != nil {
			return err
		}
		if _, err := p.Run(nil, "lp", "-h", p.Address, "-U", one.owner, "-d", one.printer, "-t", one.title, "-H", "indefinite", "job.txt"); err != nil {
			return err
		}
	}
	return nil
}

func lpstat(p *ground.Place, what string) (string, error) {
	return p.Run(nil, "lpstat", "-h", p.Address, what)
}
