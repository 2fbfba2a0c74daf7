package sites

import "testing"

func TestMemoryForgetsTheLongestUnchangedVisit(t *testing.T) {
	t.Parallel()
	m := newMemory[int](2)
	m.reach("a", "goal")
	m.reach("b", "goal")
	m.change("a", func(v *visit[int]) { v.data = 7 })
	m.look("unseen", func(*visit[int]) {})
	m.reach("c", "goal")
	truth := m.truth()
	if len(truth) != 2 || !truth["a"]["goal"] || !truth["c"]["goal"] {
		t.Errorf("remembered %v, want a and c", truth)
	}
	m.look("a", func(v *visit[int]) {
		if v.data != 7 {
			t.Errorf("a's data is %d, want 7", v.data)
		}
	})
}
