package domaintest

import (
	"encoding/json"
	"hash/crc32"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
)

// values gives a filled value its leaves. Paths name them: "step.action.type".
type values struct {
	text    func(path string) string
	integer func(path string) int64
	number  func(path string) float64
	yes     func(path string) bool
	moment  func(path string) time.Time
	raw     func(path string) json.RawMessage
	// count is how many elements a slice or map has, present whether a
	// pointer points.
	count   func(path string) int
	present func(path string) bool
}

var (
	timeType = reflect.TypeFor[domain.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

func (f values) fill(v reflect.Value, path string) {
	switch v.Type() {
	case timeType:
		v.Set(reflect.ValueOf(domain.At(f.moment(path))))
		return
	case rawType:
		v.Set(reflect.ValueOf(f.raw(path)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text(path))
	case reflect.Bool:
		v.SetBool(f.yes(path))
	case reflect.Int, reflect.Int64:
		v.SetInt(f.integer(path))
	case reflect.Float64:
		v.SetFloat(f.number(path))
	case reflect.Pointer:
		if f.present(path) {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), path)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.count(path), f.count(path)))
		for i := range v.Len() {
			f.fill(v.Index(i), path)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.count(path) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, path)
			f.fill(value, path)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), strings.TrimPrefix(path+"."+fieldName(v.Type().Field(i)), "."))
			}
		}
	default:
		panic("domaintest: an event holds a " + v.Type().String())
	}
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return strings.ToLower(f.Name)
	}
	return name
}

// event makes an event of an entry's newest shape.
func (f values) event(entry domain.Entry) domain.Event {
	zero, err := entry.Decode([]byte("{}"))
	if err != nil {
		panic("domaintest: " + entry.Type + " does not decode from {}: " + err.Error())
	}
	v := reflect.New(reflect.TypeOf(zero)).Elem()
	f.fill(v, "")
	return v.Interface().(domain.Event)
}

// Example is an event of the entry's type with every field filled. The value
// of a field follows from its name, so that a new field changes no other.
func Example(entry domain.Entry) domain.Event { return example().event(entry) }

// Full is a T with every field filled as Example does.
func Full[T any]() (v T) {
	example().fill(reflect.ValueOf(&v).Elem(), "")
	return v
}

func example() values {
	number := func(path string) uint32 { return 1 + crc32.ChecksumIEEE([]byte(path))%999 }
	return values{
		text:    func(path string) string { return "a " + path[strings.LastIndex(path, ".")+1:] },
		integer: func(path string) int64 { return int64(number(path)) },
		number:  func(path string) float64 { return float64(number(path)) / 1000 },
		yes:     func(string) bool { return true },
		moment: func(path string) time.Time {
			return time.Date(2026, 3, 14, 15, 9, 26, 535_000_000, time.UTC).Add(time.Duration(number(path)) * time.Minute)
		},
		raw:     func(path string) json.RawMessage { return json.RawMessage(`{"of":"` + path + `"}`) },
		count:   func(string) int { return 1 },
		present: func(string) bool { return true },
	}
}

// Arbitrary generates events of the types in a catalogue with any content that
// can be recorded. Integers stay within −3 … 20,000: they are counts.
func Arbitrary(catalogue []domain.Entry) *rapid.Generator[domain.Event] {
	return rapid.Custom(func(t *rapid.T) domain.Event {
		entry := rapid.SampledFrom(catalogue).Draw(t, "type")
		counts := map[string]int{}
		return values{
			text:    func(path string) string { return rapid.String().Draw(t, path) },
			integer: func(path string) int64 { return rapid.Int64Range(-3, 20_000).Draw(t, path) },
			number:  func(path string) float64 { return rapid.Float64().Draw(t, path) },
			yes:     func(path string) bool { return rapid.Bool().Draw(t, path) },
			moment: func(path string) time.Time {
				return time.UnixMilli(rapid.Int64Range(0, 4_102_444_800_000).Draw(t, path))
			},
			raw: func(path string) json.RawMessage {
				b, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.Float64()).Draw(t, path))
				if err != nil {
					t.Fatal(err)
				}
				return b
			},
			count: func(path string) int {
				if _, drawn := counts[path]; !drawn {
					counts[path] = rapid.IntRange(0, 3).Draw(t, path+" count")
				}
				return counts[path]
			},
			present: func(path string) bool { return rapid.Bool().Draw(t, path+" present") },
		}.event(entry)
	})
}

// Types lists the literals of a catalogue in their order.
func Types(catalogue []domain.Entry) []string {
	seen := map[string]bool{}
	for _, entry := range catalogue {
		seen[entry.Type] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
