package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	machine := map[string]string{"proc/meminfo": "MemTotal:        8388608 kB\nMemFree:         1048576 kB\nMemAvailable:    4194304 kB\n"}
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
		told  bool
	}{
		"no limits": {map[string]string{"proc/self/cgroup": "0::/user.slice\n", "sys/fs/cgroup/user.slice/memory.max": "max\n", "sys/fs/cgroup/user.slice/memory.current": "1048576\n"}, 4096 * mib, true},
		"a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "943718400\n",
			"sys/fs/cgroup/memory.stat": "anon 1\nactive_file 104857600\ninactive_file 52428800\nslab_reclaimable 1048576\nslab_reclaimable_x 9\n",
		}, 275 * mib, true},
		"a limited service in a limited slice": {map[string]string{
			"proc/self/cgroup":                 "0::/a.slice/b.service\n",
			"sys/fs/cgroup/a.slice/memory.max": "536870912\n", "sys/fs/cgroup/a.slice/memory.current": "524288000\n",
			"sys/fs/cgroup/a.slice/b.service/memory.max": "536870912\n", "sys/fs/cgroup/a.slice/b.service/memory.current": "104857600\n",
		}, 12 * mib, true},
		"above its limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1048576\n", "sys/fs/cgroup/memory.current": "1148576\n",
		}, 0, true},
		"cgroups of the first version": {map[string]string{
			"proc/self/cgroup": "12:pids:/docker/c1\n4:cpu,memory:/docker/c1\n0::/\n",
			"sys/fs/cgroup/memory/docker/c1/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/docker/c1/memory.usage_in_bytes": "1048576000\n",
			"sys/fs/cgroup/memory/docker/c1/memory.stat":           "inactive_file 1\ntotal_inactive_file 52428800\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":           "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":           "8849551360\n",
		}, 74 * mib, true},
		"in a container of the first version": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/c1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "1048576000\n",
		}, 24 * mib, true},
		"another system": {map[string]string{"proc/meminfo": ""}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, files := t.TempDir(), maps.Clone(machine)
			maps.Copy(files, c.files)
			for file, text := range files {
				file = filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, told := freeMemoryOf(root); got != c.want || told != c.told {
				t.Errorf("%d MiB are free (%v), want %d (%v)", got/mib, told, c.want/mib, c.told)
			}
		})
	}
}

// TestFreeMemoryHere: what the system of the test says is less than it has.
func TestFreeMemoryHere(t *testing.T) {
	t.Parallel()
	free, told := freeMemory()
	if total := memory(); total > 0 && (!told || free <= 0 || uint64(free) >= total) {
		t.Errorf("%d of %d bytes are free (%v)", free, total, told)
	}
}
