package main

import (
	"fmt"
	"strconv"
	"strings"

	"understudy/adapters/service"
)

// caps are what one organization may have at once.
type caps struct {
	service.Caps
	streams int // WebSockets, on each node
}

// maxCap is the largest number that a cap can be.
const maxCap = 1_000_000_000

func defaultCaps() caps { return caps{Caps: service.DefaultCaps(), streams: defaultStreams / 2} }

// named are the caps as the setting names them, in its order.
func (c *caps) named() []struct {
	name string
	at   *int
} {
	return []struct {
		name string
		at   *int
	}{
		{"tests", &c.Tests}, {"sessions", &c.Sessions}, {"webhooks", &c.Webhooks}, {"personas", &c.Personas}, {"streams", &c.streams},
	}
}

// capsText is the setting that says what the caps are.
func capsText(c caps) string {
	var parts []string
	for _, one := range c.named() {
		parts = append(parts, one.name+"="+strconv.Itoa(*one.at))
	}
	return strings.Join(parts, ", ")
}

// capSettings reads caps, like "tests=500, streams=1000". Those that are not mentioned
// stay as they are by default.
func capSettings(text string) (caps, error) {
	c := defaultCaps()
	for _, one := range list(text) {
		name, value, _ := strings.Cut(one, "=")
		n, err := strconv.Atoi(value)
		known := false
		for _, at := range c.named() {
			if at.name == name {
				*at.at, known = n, true
			}
		}
		if !known || err != nil || n < 1 || n > maxCap {
			return c, fmt.Errorf("%q is not like tests=500; there are %s", one, capsText(defaultCaps()))
		}
	}
	return c, nil
}
