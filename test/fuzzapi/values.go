package fuzzapi

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
)

// maker makes values that a schema allows.
type maker struct {
	*rand.Rand
	doc   *document
	world *world
	// loopback is where addresses that the service may call lead.
	loopback string
}

// often is true in so many of a hundred times.
func (m maker) often(percent int) bool { return m.IntN(100) < percent }

func pick[T any](m maker, list ...T) T { return list[m.IntN(len(list))] }

// ofField are the kinds of identifiers that fields take whose schemas are only
// text, by their names.
var ofField = map[string]string{"test_id": "test", "pack_id": "pack", "persona_ids": "per", "user_id": "usr", "webhook_id": "whk", "session_id": "ses"}

// value makes one for a schema; name is that of the field.
func (m maker) value(schema object, name string) any {
	for schema["$ref"] != nil {
		schema, _ = m.doc.at(text(schema["$ref"]))
	}
	if list, ok := schema["enum"].([]any); ok {
		return pick(m, list...)
	}
	if v, ok := schema["const"]; ok {
		return v
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if list, ok := schema[word].([]any); ok {
			return m.value(pick(m, list...).(object), name)
		}
	}
	kind := text(schema["type"])
	if kinds, ok := schema["type"].([]any); ok {
		kind = text(pick(m, kinds...))
	}
	switch kind {
	case "object":
		return m.object(schema)
	case "array":
		return m.array(schema, name)
	case "integer", "number":
		return m.number(schema, kind, name)
	case "boolean":
		return m.often(50)
	case "null":
		return nil
	case "string":
		return m.text(schema, name)
	default:
		return pick[any](m, nil, true, 1.5, "x", []any{}, object{})
	}
}

func (m maker) object(schema object) object {
	out, required := object{}, schema["required"]
	for _, name := range slices.Sorted(maps.Keys(under(schema, "properties"))) {
		must := false
		if list, ok := required.([]any); ok {
			must = slices.Contains(list, any(name))
		}
		if must || m.often(25) {
			out[name] = m.value(under(schema, "properties")[name].(object), name)
		}
	}
	for pattern, inner := range under(schema, "patternProperties") {
		for range m.IntN(3) {
			out[m.matching(pattern)] = m.value(inner.(object), "")
		}
	}
	if _, conditional := schema["if"]; conditional { // the conditions of the document are about what is required
		for _, name := range []string{"pack_id", "persona_ids", "url"} {
			if inner, ok := under(schema, "properties")[name].(object); ok && out[name] == nil && out["test_id"] == nil {
				out[name] = m.value(inner, name)
			}
		}
		if id, ok := out["test_id"]; ok {
			return object{"test_id": id}
		}
	}
	return out
}

func (m maker) array(schema object, name string) []any {
	least, most := bound(schema, "minItems", 0), min(bound(schema, "maxItems", 4), 4)
	out := []any{}
	items, _ := schema["items"].(object)
	for range 20 {
		if len(out) >= int(least) && !m.often(60) || len(out) >= int(most) {
			break
		}
		v := m.value(items, name)
		if schema["uniqueItems"] != true || !slices.ContainsFunc(out, func(o any) bool { return same(o, v) }) {
			out = append(out, v)
		}
	}
	return out
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func bound(schema object, word string, otherwise float64) float64 {
	if n, ok := schema[word].(float64); ok {
		return n
	}
	return otherwise
}

func (m maker) number(schema object, kind, name string) any {
	least := bound(schema, "minimum", 0)
	most := bound(schema, "maximum", least+1000)
	if name == "sessions" && !m.often(3) { // the service is to be asked much, not to work much
		most = least + 1
	}
	if m.often(20) {
		return pick(m, least, most)
	}
	if kind == "number" {
		return least + m.Float64()*(most-least)
	}
	return least + float64(m.Int64N(int64(most-least)+1))
}

func (m maker) text(schema object, name string) string {
	if prefix, ok := ofField[name]; ok && m.often(85) {
		if id, ok := m.world.id(m.Rand, prefix); ok {
			return id
		}
	}
	if name == "task" && m.often(20) {
		return pick(m, "slow", "fail", "give up", "gate fails") // which the sandbox knows
	}
	switch text(schema["format"]) {
	case "uri":
		return m.address()
	case "date-time":
		return m.moment()
	case "email":
		return m.word() + "@" + m.word() + ".invalid"
	case "uuid":
		return "019a9f2e-6b0c-7d7e-8f3a-0f6c1f3e2a11"
	}
	if name == "url" || strings.HasSuffix(name, "_uri") || strings.HasSuffix(name, "_uris") {
		return m.address()
	}
	if name == "email" {
		return m.word() + "@" + m.word() + ".invalid"
	}
	least, most := int(bound(schema, "minLength", 0)), int(bound(schema, "maxLength", 200))
	if pattern := text(schema["pattern"]); pattern != "" {
		if strings.Contains(pattern, "[Hh][Tt][Tt][Pp]") {
			return m.loopback
		}
		return m.matching(pattern)
	}
	var made []rune
	switch {
	case m.often(5):
		made = []rune(strings.Repeat(pick(m, "a", "ß", "𝒳", " ", "\u202e"), most))
	case m.often(30):
		made = []rune(pick(m, odd...))
	default:
		for range 1 + m.IntN(3) {
			made = append(made, []rune(m.word()+" ")...)
		}
		made = made[:len(made)-1]
	}
	for len(made) < least {
		made = append(made, 'x')
	}
	return strings.ReplaceAll(string(made[:min(len(made), most)]), "\x00", "0")
}

// word is one of few, so that names meet again.
func (m maker) word() string {
	return pick(m, "buy", "a", "red", "lamp", "find", "price", "sign", "up", "newsletter", "slow", "fail", "prüfen", "見る", "🙂")
}

// address is one that the service may be told: on this machine, or nowhere.
func (m maker) address() string {
	if m.often(85) {
		return m.loopback + pick(m, "/", "/hook", "/a b", "/?q=1&q=2", "/%F0%9F%99%82", "/#here")
	}
	return pick(m, "http://127.0.0.1:1/", "http://[::1]:1/", "https://127.0.0.1:1/x", "http://nowhere.invalid/", "http://10.1.2.3/", "http://169.254.169.254/latest",
		"http://0x7f.1:1/", "http://127.0.0.1:99999/", "http://user:pass@127.0.0.1:1/", "http://ünï.invalid/", "HTTP://LOCALHOST:1/", "http://[::ffff:10.0.0.1]/", "http://127.0.0.1:1/"+strings.Repeat("a", 1500))
}

func (m maker) moment() string {
	return pick(m, time.Now().Add(time.Duration(m.Int64N(int64(200*time.Hour)))-100*time.Hour).UTC().Format(time.RFC3339Nano),
		"2036-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-11-21T12:00:00+14:00", "2026-02-28t10:00:00z", "2016-12-31T23:59:60Z", "1970-01-01T00:00:00-23:59",
		"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+14:00", "2026-01-01T12:00:00.1234567890123456789Z")
}

// matching is a text that a regular expression of the document takes.
func (m maker) matching(pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "x"
	}
	var b strings.Builder
	m.write(&b, parsed)
	return b.String()
}

func (m maker) write(b *strings.Builder, e *syntax.Regexp) {
	times := func(least, most int) {
		if most < 0 {
			most = least + 4
		}
		for range least + m.IntN(most-least+1) {
			m.write(b, e.Sub[0])
		}
	}
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		i := 2 * m.IntN(len(e.Rune)/2)
		low, high := e.Rune[i], min(e.Rune[i+1], e.Rune[i]+200)
		b.WriteRune(low + m.Int32N(high-low+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(e.Min, e.Max)
	case syntax.OpAlternate:
		m.write(b, pick(m, e.Sub...))
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range e.Sub {
			m.write(b, sub)
		}
	default: // places, which take no room
	}
}

// odd are texts that programs stumble over.
var odd = []string{
	"", " ", "\t\n", "null", "true", "0", "-1", "NaN", "undefined", "../../etc/passwd", "%00", "%s%n%x", "<script>alert(1)</script>", "' OR 1=1 --", "{{user}}", "${jndi:ldap://x.invalid}",
	"\u202egnp.exe", "e\u0301\u0327", "👩‍👩‍👧‍👦", "\ufeff", "\ufffd", "\u2028", "İıſK", "ﷺ", "\x7f", "\x1b[31m", "a\x00b", "(", "[", "*", "\\", "\"", "(a+)+$", "::", "#", "[x=\"", strings.Repeat("{", 40), strings.Repeat("é", 300), strings.Repeat("long ", 2000),
}

// Boundaries that numbers are written at, as JSON has them.
var numbers = []json.Number{"0", "-0", "-1", "1", "2", "100", "101", "10000", "10001", "1.5", "0.1", "1e1", "1e-400", "1e308", "1e999", "2147483648", "9007199254740991", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "0.30000000000000004"}

// spoiled is a value with something changed in it.
func (m maker) spoiled(v any) any {
	switch in := v.(type) {
	case object:
		out := maps.Clone(in)
		names := slices.Sorted(maps.Keys(out))
		switch {
		case len(names) == 0 || m.often(15):
			out[pick(m, odd...)+m.word()] = m.anything(2)
		case m.often(20):
			delete(out, pick(m, names...))
		default:
			name := pick(m, names...)
			out[name] = m.spoiled(out[name])
		}
		return out
	case []any:
		out := slices.Clone(in)
		switch {
		case len(out) == 0 || m.often(20):
			return append(out, m.anything(2))
		case m.often(20):
			return append(out, out...)
		default:
			i := m.IntN(len(out))
			out[i] = m.spoiled(out[i])
			return out
		}
	default:
		return m.anything(3)
	}
}

// anything is any JSON.
func (m maker) anything(depth int) any {
	switch m.IntN(8) {
	case 0:
		return nil
	case 1:
		return m.often(50)
	case 2, 3:
		return pick(m, numbers...)
	case 4, 5:
		return pick(m, odd...)
	case 6:
		out := []any{}
		for range m.IntN(4) * min(depth, 1) {
			out = append(out, m.anything(depth-1))
		}
		return out
	default:
		out := object{}
		for range m.IntN(4) * min(depth, 1) {
			out[pick(m, odd...)] = m.anything(depth - 1)
		}
		return out
	}
}
