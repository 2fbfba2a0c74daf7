package sites

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The pairs as they were fixed before any of them was walked. Who adds a case or
// a kind may change a line here and must say so with the next measurement.
const fixedPairs = `
bank-message-low_contrast A
permit-permit-small_target B
docs-restore-vague_label A
docs-restore-icon_only B
clinic-book-competing_labels A
bank-message-below_the_fold B
shop-order-hidden_in_menu A
clinic-book-covered B
saas-price-interruption A
shop-order-dead_control-2 B
permit-missed_bin-script_error A
app-preorder-broken_link B
shop-order-server_error A
docs-exit_code-slow_page B
shop-order-unlabelled_field A
shop-order-format_rejected B
permit-permit-unspecific_error A
app-preorder-input_lost B
saas-sign_up-disabled_submit A
saas-import-forced_account B
shop-order-wall_of_text A
app-preorder-jargon B
saas-sign_up-dead_end A
clinic-book-redirect_loop B
shop-order-mouse_only A
clinic-book-layout_shift B
clinic-book-late_cost A
saas-sign_up-needless_field B
`

const fixedTwins = `app-hours bank-merchant clinic-book docs-schedule news-hours permit-missed_bin saas-sign_up shop-order`

func TestPairsStayAsTheyWereFixed(t *testing.T) {
	t.Parallel()
	var pairs strings.Builder
	for _, p := range Pairs() {
		fmt.Fprintln(&pairs, p.Name, map[bool]string{true: "A", false: "B"}[p.DamagedA])
	}
	if got := pairs.String(); got != strings.TrimLeft(fixedPairs, "\n") {
		t.Errorf("the pairs are now:\n%s", got)
	}
	var twins []string
	for _, c := range Twins() {
		twins = append(twins, c.Name)
	}
	if !slices.Equal(twins, strings.Fields(fixedTwins)) {
		t.Errorf("the twins are now:\n%s", strings.Join(twins, "\n"))
	}
}

// TestPairsAreOneOfEachKind, each damaged by that fault alone, half of them on
// side A, and twins are one of each site, edited ones with decoys on its start.
func TestPairsAreOneOfEachKind(t *testing.T) {
	t.Parallel()
	kinds, onA := map[string]int{}, 0
	for _, p := range Pairs() {
		if len(p.Faults) != 1 || len(p.Decoys) > 0 {
			t.Fatalf("%s differs from the clean site by more than one fault", p.Name)
		}
		kinds[p.Faults[0].Kind]++
		if p.DamagedA {
			onA++
		}
	}
	for _, kind := range FaultKinds() {
		if kinds[kind] != 1 {
			t.Errorf("%d pairs of %s, want one", kinds[kind], kind)
		}
	}
	if all := len(FaultKinds()); onA != all/2 {
		t.Errorf("A is damaged in %d of %d pairs, want half", onA, all)
	}
	sites := map[string]bool{}
	for _, c := range Twins() {
		sites[c.Site] = true
		if len(c.Faults)+len(c.Decoys) > 0 {
			t.Errorf("%s is not as the site is", c.Name)
		}
	}
	for _, c := range EditedTwins() {
		if _, err := New(c.Site, c.Options()); err != nil || len(c.Faults) > 0 || len(c.Decoys) == 0 || c.Decoys[0].Path != taskOf(t, c.Site, c.Task).Start {
			t.Errorf("%s is edited with %+v: %v", c.Name, c.Decoys, err)
		}
	}
	if len(sites) != len(Names()) {
		t.Errorf("twins of %d sites, want %d", len(sites), len(Names()))
	}
}
