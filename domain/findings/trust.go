package findings

import (
	"understudy/domain/scoring"
)

// trustKinds are the risks of the trust score that are issues of their own,
// with one definition for both (scoring.RisksMet).
var trustKinds = map[scoring.TrustRisk]string{
	scoring.LateCost: LateCost, scoring.ForcedAccount: ForcedAccount, scoring.SensitiveField: NeedlessField,
}

// trustRisks finds costs that appear at the last step, accounts demanded for
// something else, and fields that ask for what the task does not need.
func (x *examined) trustRisks() {
	for _, m := range scoring.RisksMet(x.w) {
		kind, ok := trustKinds[m.Kind]
		if !ok {
			continue
		}
		o := x.about(m.Step, kind, Observed, m.Element)
		o.Detail = m.Detail
		o.CostMS = m.CostMS
		x.add(o)
	}
}
