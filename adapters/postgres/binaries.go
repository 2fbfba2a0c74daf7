package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the oldest major version that is run: 13 is the first with
// every setting and statement used here.
const oldestMajor = 13

// syncsAtOnce is the first major version that can flush its whole file system at once.
const syncsAtOnce = 14

// binaries is one installed set of server programs.
type binaries struct {
	dir   string
	major int
}

func (b binaries) path(program string) string { return filepath.Join(b.dir, program) }

// places are where packages put server programs besides the PATH: Debian,
// the PostgreSQL project's RPMs, Homebrew on ARM and Intel, Postgres.app.
var places = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// installed lists the sets on this machine, newest first.
func installed(ctx context.Context) []binaries {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range places {
		found, err := filepath.Glob(pattern)
		if err == nil {
			dirs = append(dirs, found...)
		}
	}
	var sets []binaries
	for _, dir := range dirs {
		set := binaries{dir: dir}
		if !filepath.IsAbs(dir) || !executable(set.path("initdb")) || !executable(set.path("postgres")) {
			continue
		}
		if set.major = majorOf(ctx, set.path("postgres")); set.major >= oldestMajor {
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b binaries) int { return b.major - a.major })
	return sets
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

var versionPattern = regexp.MustCompile(`PostgreSQL\) (\d+)`)

// majorOf asks a postgres program for its major version, 0 when it does not say.
func majorOf(ctx context.Context, postgres string) int {
	out, err := exec.CommandContext(ctx, postgres, "--version").Output()
	if err != nil {
		return 0
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return 0
	}
	major, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 0
	}
	return major
}

// chooseBinaries takes the newest set for a new cluster (major 0), and the one
// of the same major version for an existing one.
func chooseBinaries(sets []binaries, major int) (binaries, error) {
	if len(sets) == 0 {
		return binaries{}, errors.New("no PostgreSQL server programs found: install the package postgresql (Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql@17), or name a database with --database-url")
	}
	if major == 0 {
		return sets[0], nil
	}
	var have []string
	for _, s := range sets {
		if s.major == major {
			return s, nil
		}
		have = append(have, strconv.Itoa(s.major))
	}
	return binaries{}, fmt.Errorf("the cluster was made by PostgreSQL %d, installed is %s: install postgresql-%d, or move the cluster with pg_upgrade", major, strings.Join(have, ", "), major)
}
