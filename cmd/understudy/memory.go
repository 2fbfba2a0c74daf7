package main

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"understudy/adapters/runner"
)

// accounting is how a version of cgroups tells of memory.
type accounting struct {
	dir         string // of its hierarchy
	limit, used string // files
	prefix      string // of what memory.stat says of a cgroup and those below it
}

var (
	cgroup1 = accounting{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"}
	cgroup2 = accounting{"sys/fs/cgroup", "memory.max", "memory.current", ""}
)

// freeMemory is how many bytes this process may take yet: what the machine has, or
// less where a cgroup is limited. false where the system does not tell.
func freeMemory() (bytes int64, told bool) { return freeMemoryOf("/") }

func freeMemoryOf(root string) (bytes int64, told bool) {
	kib, told := figure(filepath.Join(root, "proc/meminfo"), "MemAvailable:")
	bytes = kib << 10
	raw, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return bytes, told
	}
	for line := range strings.Lines(string(raw)) { // 4:memory:/docker/5c0… or 0::/
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		by := cgroup2
		switch {
		case strings.Contains(","+controllers+",", ",memory,"):
			by = cgroup1
		case controllers != "":
			continue
		}
		// In a container the path may be that on its host: its own files are at the top then.
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			if free, limited := by.free(filepath.Join(root, by.dir, group)); limited && (!told || free < bytes) {
				bytes, told = free, true
			}
			if group == "/" {
				break
			}
		}
	}
	return bytes, told
}

// free is what a cgroup may take yet, files that are kept in memory without need taken
// for free as the kernel does; false where it has no limit.
func (a accounting) free(group string) (bytes int64, limited bool) {
	limit, limited := figure(filepath.Join(group, a.limit), "")
	used, told := figure(filepath.Join(group, a.used), "")
	if !limited || !told {
		return 0, false
	}
	for _, spare := range []string{"active_file", "inactive_file", "slab_reclaimable"} {
		n, _ := figure(filepath.Join(group, "memory.stat"), a.prefix+spare) // 0 where it is not told
		used -= n
	}
	return max(0, limit-used), true
}

// figure is the number after a name in a file of lines, or that of a file with nothing
// else, whose name is "".
func figure(file, name string) (n int64, told bool) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(raw)) {
		rest, found := strings.CutPrefix(line, name)
		fields := strings.Fields(rest)
		if !found || len(fields) == 0 || name != "" && !strings.HasPrefix(rest, " ") {
			continue
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		return n, err == nil
	}
	return 0, false
}

// memoryMetrics show what memory is free, and what of it a live session needs.
func memoryMetrics(m *runner.Memory) []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "understudy_memory_available_bytes", Help: "Bytes of memory that may be taken yet, on the machine or in its cgroup; -1 where the system does not tell.",
		}, func() float64 {
			if bytes, told := freeMemory(); told {
				return float64(bytes)
			}
			return -1
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "understudy_session_memory_bytes", Help: "Bytes of memory that a live session is reckoned at: the most that one has held lately.",
		}, func() float64 { return float64(m.Needs()) }),
	}
}
