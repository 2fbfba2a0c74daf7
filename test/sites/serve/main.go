// Command serve shows a site, or a case of the table of faults, to whoever wants
// to look at it with their own eyes:
//
//	go run ./test/sites/serve -site shop
//	go run ./test/sites/serve -case clinic-book-covered -listen 127.0.0.1:8090
//	go run ./test/sites/serve -cases
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"understudy/test/sites"
)

func main() {
	site := flag.String("site", sites.Shop, "one of "+strings.Join(sites.Names(), ", "))
	name := flag.String("case", "", "a case by its name, instead of a clean site")
	listen := flag.String("listen", "127.0.0.1:8090", "address to listen at")
	list := flag.Bool("cases", false, "print the names of all cases, with their halves, and end")
	flag.Parse()
	if *list {
		for _, c := range sites.Cases() {
			fmt.Println(c.Name, c.Half())
		}
		return
	}
	if err := serve(*site, *name, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func serve(site, name, listen string) error {
	var options sites.Options
	if name != "" {
		c, ok := find(name)
		if !ok {
			return fmt.Errorf("no case is called %q", name)
		}
		site, options = c.Site, c.Options()
		fmt.Printf("%s, task %s, %s\n", c.Site, c.Task, c.Half())
		for _, f := range c.Faults {
			fmt.Printf("fault %s on %s %s (%s)\n", f.Kind, f.Path, f.Selector, f.Effect())
		}
		for _, f := range c.Decoys {
			fmt.Printf("decoy %s on %s %s\n", f.Kind, f.Path, f.Selector)
		}
	}
	h, err := sites.New(site, options)
	if err != nil {
		return err
	}
	fmt.Println("http://" + listen)
	server := &http.Server{Addr: listen, Handler: h, ReadHeaderTimeout: 10 * time.Second}
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("listen at %s: %w", listen, err)
	}
	return nil
}

func find(name string) (sites.Case, bool) {
	for _, c := range sites.Cases() {
		if c.Name == name {
			return c, true
		}
	}
	return sites.Case{}, false
}
