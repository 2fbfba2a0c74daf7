package report

import "understudy/domain"

// Document is a report as it is built, recorded and answered; addresses are
// added at the edge, beside the ids of screenshots, sessions and the report.
// Nothing of it is another package's: what is recorded keeps its names however
// the packages that a report is computed by change theirs.
type Document struct {
	Measures
	Highlights []Highlight `json:"highlights"`
	Issues     []Issue     `json:"issues"`
	// IssuesLeftOut is how many of the lowest rank are beyond what a report holds.
	IssuesLeftOut int `json:"issues_left_out"`
	// Notes are what rules object to on the way and what hindered nobody in this test.
	Notes     []Issue    `json:"notes,omitempty"`
	Positives []Positive `json:"positive_findings"`
	Conclusion
}

// Measures are what is counted and computed of the sessions.
type Measures struct {
	ID              string              `json:"id"`
	TestID          string              `json:"test_id"`
	CreatedAt       domain.Time         `json:"created_at"`
	AggregateScores map[string]float64  `json:"aggregate_scores"`
	Intervals       map[string]Interval `json:"intervals"`
	// WithoutEvidence names the requested criteria that no session had
	// evidence for.
	WithoutEvidence []string `json:"criteria_without_evidence"`
	// Reasons tell of those why, as far as the sessions say so.
	Reasons map[string]string `json:"reasons_without_evidence,omitempty"`
	// Formulas say how each requested criterion and overall are computed.
	Formulas        map[string]string `json:"formulas"`
	FormulasVersion int               `json:"formulas_version"`
	Sessions        Counts            `json:"sessions"`
	// Distributions tell how the scores of each criterion with evidence, and
	// overall, are spread over the sessions.
	Distributions map[string]Distribution `json:"distributions"`
	// Facets tell who struggles: those with the greatest differences first.
	Facets   []Facet  `json:"facets"`
	Funnel   Funnel   `json:"funnel"`
	Paths    Paths    `json:"paths"`
	Time     Times    `json:"time"`
	Lostness Lostness `json:"lostness"`
	// Success is the share of the completed sessions that reached the goal, nil
	// without any.
	Success *Estimate `json:"success_rate,omitempty"`
	// Predicted is what people might say and need, nil without a completed session.
	Predicted *Predicted `json:"predicted,omitempty"`
	// SessionList are the first maxLines of the completed sessions, in the order
	// of the test.
	SessionList []SessionLine `json:"session_list,omitempty"`
	// Clicks are the pages that most was clicked on, those with most clicks first.
	Clicks []ClickMap `json:"clicks,omitempty"`
}

// Estimate is one number for many, with its 95 % interval; limits that the data
// do not set are nil. N is how many sessions it is of.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int      `json:"n"`
}

// Predicted is what people might say and need.
type Predicted struct {
	// SEQ is the Single Ease Question, 1 very difficult to 7 very easy.
	SEQ Ease `json:"seq"`
	// Time in seconds of those who reach the goal, nil where nobody did.
	Time *Estimate `json:"time_seconds"`
	// Note says how both are predicted and how far that goes.
	Note string `json:"note"`
}

// Ease is a predicted mean of the Single Ease Question.
type Ease struct {
	Estimate
	// People is the average that people give over many tasks.
	People float64 `json:"average_of_people"`
}

// Conclusion is how far the report goes and what it comes to.
type Conclusion struct {
	NotTested []Untested `json:"not_tested"`
	// Accessibility is the audit's appendix: the rules that pages break, whether
	// or not they stood in anybody's way.
	Accessibility []Violation `json:"accessibility_appendix"`
	QualityGate   Gate        `json:"quality_gate"`
	Confidence    Confidence  `json:"simulation_confidence"`
	// Replays is nil where walks are not repeated: in the sandbox, by language models,
	// where the test says so, and in reports that were recorded without it.
	Replays *Replays `json:"replays,omitempty"`
}

// Replays tell how often walks were repeated to find out why they had fallen short.
type Replays struct {
	// Causes is how many different ones were suspected, Made how many replays there were,
	// of a cause each. Of these Proven showed the reason, Withheld ended before something
	// was sent again that had been accepted, and CutShort by a fault of page or browser.
	Causes   int `json:"causes"`
	Made     int `json:"made"`
	Proven   int `json:"proven"`
	Withheld int `json:"withheld"`
	CutShort int `json:"cut_short"`
}

// Interval is a 95 % interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Counts of a test's sessions.
type Counts struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// Description sums up a list of numbers.
type Description struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	// SD is the standard deviation of the sample (n − 1), nil for fewer than two.
	SD     *float64 `json:"sd"`
	Min    float64  `json:"min"`
	Q1     float64  `json:"q1"`
	Median float64  `json:"median"`
	Q3     float64  `json:"q3"`
	Max    float64  `json:"max"`
}

// Distribution is how the sessions' scores of one criterion are spread.
type Distribution struct {
	Description
	// Histogram counts the sessions by score: [0, 0.1), …, [0.9, 1].
	Histogram []int `json:"histogram"`
}

// Facet is one way of dividing the simulated users, and how the groups did.
type Facet struct {
	// Facet is a facet of the personas, or viewport.
	Facet string `json:"facet"`
	// Groups are in the facet's own order.
	Groups []Group `json:"groups"`
	// Explained is the share of the variance of the sessions' overall scores
	// that goes with this facet, adjusted for the number of groups: about 0
	// where the groups differ by no more than chance.
	Explained float64 `json:"explained"`
	// Clear: the 95 % intervals of two groups' success do not overlap.
	Clear bool `json:"clear"`
	// Note says in words what can be concluded.
	Note string `json:"note"`
}

// Group is the sessions whose simulated users have one value of a facet.
type Group struct {
	Value     string `json:"value"`
	Sessions  int    `json:"sessions"`
	Succeeded int    `json:"succeeded"`
	// Share of them that succeeded, with its 95 % Wilson interval.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// MeanOverall is the mean of their overall scores, nil without evidence.
	MeanOverall          *float64 `json:"mean_overall"`
	MeanSimulatedSeconds float64  `json:"mean_simulated_seconds"`
}

// Page is a page as the sessions of a test met it: an address without scheme,
// query and what varies in its path, and the main heading, numbers in it
// replaced by "#", so that pages of one kind count as one and the views of a
// single-page application are pages too.
type Page struct {
	Address string `json:"address"`
	Heading string `json:"heading"`
}

// Funnel tells how far the sessions came.
type Funnel struct {
	// Basis is successful_way when Pages are in the order of the way that most
	// successful sessions took, detours left out; first_visits when nobody
	// succeeded and they are in the order in which they were first seen.
	Basis string `json:"basis"`
	// Sessions is how many sessions saw a page at all.
	Sessions int          `json:"sessions"`
	Pages    []FunnelPage `json:"pages"`
	// EndedElsewhere is how many sessions ended without success on a page that is
	// not listed.
	EndedElsewhere int `json:"ended_elsewhere"`
}

// FunnelPage is a page of the funnel: how many sessions saw it, their share of
// all with its 95 % interval, and how many were lost on it: where what their end is
// blamed on stands, else where they ended.
type FunnelPage struct {
	Page
	Reached int     `json:"reached"`
	Share   float64 `json:"share"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Ended   int     `json:"ended"`
}

// Paths are the ways that sessions took.
type Paths struct {
	// Distinct is how many different ones there are, Common the most frequent.
	Distinct int    `json:"distinct"`
	Common   []Path `json:"common"`
}

// Path is a sequence of pages that sessions went through, returns included.
type Path struct {
	// Pages are the first maxPathPages of Length.
	Pages     []Page `json:"pages"`
	Length    int    `json:"length"`
	Sessions  int    `json:"sessions"`
	Succeeded int    `json:"succeeded"`
}

// SessionLine is a completed session in a line.
type SessionLine struct {
	SessionID string `json:"session_id"`
	Persona   string `json:"persona"`
	Viewport  string `json:"viewport"`
	// Outcome is that of the session, "" when nothing confirms what the walker took
	// for done.
	Outcome          string  `json:"outcome"`
	SimulatedSeconds float64 `json:"simulated_seconds"`
	Steps            int     `json:"steps"`
	// Pages are the first maxLinePages of Length that it went through, returns
	// included.
	Pages  []Page `json:"pages"`
	Length int    `json:"length"`
}

// ClickMap is where sessions clicked on a page, as it is seen when it is scrolled
// down by ScrollY CSS px, where most clicked. The page's heading is its title.
type ClickMap struct {
	Page
	// ScreenshotID shows it so, on a viewport ViewportWidth CSS px wide.
	ScreenshotID  string `json:"screenshot_id"`
	ViewportWidth int    `json:"viewport_width"`
	ScrollY       int    `json:"scroll_y"`
	// Sessions is how many clicked there, Clicks how often.
	Sessions int `json:"sessions"`
	Clicks   int `json:"clicks"`
	// Elsewhere counts the clicks while it was scrolled otherwise.
	Elsewhere int `json:"elsewhere"`
	// Spots are what was clicked, the most frequent maxSpots first.
	Spots []Spot `json:"spots"`
}

// Spot is a control that was clicked, by the middle of its box in CSS px from
// the top left of the viewport.
type Spot struct {
	Role   string  `json:"role"`
	Name   string  `json:"name"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Clicks int     `json:"clicks"`
	// Sessions is how many clicked it, Succeeded how many of those reached the goal.
	Sessions  int `json:"sessions"`
	Succeeded int `json:"succeeded"`
}

// Times are the simulated seconds that sessions took: of all, of those that
// reached the goal, and of the others; nil where there are none.
type Times struct {
	Unit         string  `json:"unit"`
	All          *Timing `json:"all"`
	Succeeded    *Timing `json:"succeeded"`
	NotSucceeded *Timing `json:"not_succeeded"`
}

// Timing sums up times. Typical is their geometric mean, which of few times tells
// the middle better than the median; nil where a time is 0.
type Timing struct {
	Description
	Typical *Estimate `json:"geometric_mean,omitempty"`
}

// Lostness is how much more the sessions wandered than they had to:
// L = √((N/S − 1)² + (R/N − 1)²) with N different pages of S visited and R the
// fewest needed (Smith 1996), 0 for the straightest way. Who gives up early has
// hardly wandered.
type Lostness struct {
	// FewestPages is R: the fewest different pages that a successful session saw,
	// nil when none succeeded. How lost anybody was is unknown then.
	FewestPages *int         `json:"fewest_pages"`
	L           *Description `json:"l"`
	// Interval of the mean of L.
	Interval *Interval `json:"interval,omitempty"`
	// Fine counts the sessions with L ≤ 0.4, Lost those with L > 0.5.
	Fine int `json:"fine"`
	Lost int `json:"lost"`
}

// Highlight is a telling moment of a session.
type Highlight struct {
	SessionID string `json:"session_id"`
	Step      int    `json:"step"`
	Quote     string `json:"quote"`
	Tone      string `json:"tone"` // positive, negative or mixed
	// Moment is best, worst or turning_point.
	Moment string `json:"moment"`
	Why    string `json:"why"`
	// PageTitle is the title of the page at that step.
	PageTitle    string `json:"page_title,omitempty"`
	ScreenshotID string `json:"screenshot_id,omitempty"`
}

// Issue is one root cause with its evidence.
type Issue struct {
	ID          string `json:"id"`
	Rank        int    `json:"rank"`
	Kind        string `json:"kind"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Severity: 4 blocked, 3 abandoned or a long detour, 2 delayed, 1 a rule
	// says so and nobody was impeded, or one person of several went astray.
	Severity      int    `json:"severity"`
	SeverityLabel string `json:"severity_label"`
	// Folded: below the first ten, or a note. Reports show it folded away.
	Folded    bool      `json:"folded,omitempty"`
	Frequency Frequency `json:"frequency"`
	// Cost is nil in reports of before it was told.
	Cost *Cost `json:"cost,omitempty"`
	// Proven is how many sessions ended because of it, as a replay of one of them has shown.
	Proven     int      `json:"proven_by_replay"`
	Criteria   []string `json:"criteria"`
	PageURL    string   `json:"page_url"`
	Element    *Element `json:"element"`
	Suggestion string   `json:"suggestion"`
	Standard   string   `json:"standard"`
	// Turn tells of a page where people turned back, nil for other issues.
	Turn     *Turn      `json:"turned_back,omitempty"`
	Evidence []Evidence `json:"evidence"`
	// Places are where the cause shows, those that touched most sessions first.
	Places []Place `json:"places,omitempty"`
}

// Cost is what an issue cost the sessions that it affected.
type Cost struct {
	// Ended is how many of them ended without success because of it, Slowed how many
	// others went on after it, Seconds the mean simulated time that each of those lost.
	Ended   int     `json:"ended"`
	Slowed  int     `json:"slowed"`
	Seconds float64 `json:"seconds"`
}

// Place is one element, or part, of a page at which a cause shows.
type Place struct {
	PageURL string   `json:"page_url"`
	Element *Element `json:"element"`
	Detail  string   `json:"detail"`
	// Sessions is how many it touched; Shown is a step that shows it.
	Sessions int      `json:"sessions"`
	Shown    Evidence `json:"shown"`
}

// Turn is a page where sessions turned back without success.
type Turn struct {
	// Expected are the task's own words for what was looked for.
	Expected []string `json:"expected"`
	// Taken is what they went on with there in vain, NotTaken what else was on offer,
	// each the most promising first; Ways what would have led on.
	Taken    []Offer `json:"taken"`
	NotTaken []Offer `json:"not_taken"`
	Ways     []Offer `json:"ways"`
	// KnownBy is how Ways are known: sessions that succeeded, links (where the site
	// itself leads to the page on which the task is done), page (there are none to take:
	// others were done there), or unknown.
	KnownBy string `json:"known_by"`
}

// Offer is a control that was on offer where people turned back.
type Offer struct {
	Role     string `json:"role"`
	Name     string `json:"name"`
	Selector string `json:"selector"`
	// Sessions is how many took it, of a way how many took it that succeeded.
	Sessions int `json:"sessions"`
	// Noticed is seen, unread (on the screen, but nameless, faint, or a mere shape) or
	// unseen (never on the screen of those who turned back).
	Noticed string `json:"noticed"`
}

// Frequency is how many of the sessions that met the page were affected, with
// the 95 % Wilson interval of the share.
type Frequency struct {
	Affected int     `json:"affected"`
	Total    int     `json:"total"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Element is what an issue points at.
type Element struct {
	Role     string `json:"role"`
	Name     string `json:"name"`
	Selector string `json:"selector"`
	Box      Box    `json:"box"`
}

// Box is a rectangle in CSS px from the top left of the viewport.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Evidence points into a session's trace.
type Evidence struct {
	SessionID string `json:"session_id"`
	Step      int    `json:"step"`
	Quote     string `json:"quote"`
	// Box of what is meant at that very step, in a viewport that is ViewportWidth
	// wide; nil where nothing on the screen is.
	Box           *Box   `json:"box,omitempty"`
	ViewportWidth int    `json:"viewport_width,omitempty"`
	ScreenshotID  string `json:"screenshot_id,omitempty"`
}

// Positive is something that worked, as the sessions showed it.
type Positive struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Sessions of Total showed it; Total is how many could have.
	Sessions int `json:"sessions"`
	Total    int `json:"total"`
	// Evidence points at one of them, where one step shows it.
	Evidence []Moment `json:"evidence"`
}

// Moment is a step of a session.
type Moment struct {
	SessionID    string `json:"session_id"`
	Step         int    `json:"step"`
	ScreenshotID string `json:"screenshot_id,omitempty"`
}

// Untested is something that the test says nothing about.
type Untested struct {
	// Kind is sandbox, sessions, viewport, criteria, persona, language, pages,
	// browser or effects.
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Violation is one accessibility rule that pages of the test break.
type Violation struct {
	Rule     string `json:"rule"`
	Impact   string `json:"impact"`
	Sessions int    `json:"sessions"`
	// Pages are addresses without what varies, Selectors examples of elements.
	Pages     []string `json:"pages"`
	Selectors []string `json:"selectors"`
}

// Gate is the verdict of the quality gate.
type Gate struct {
	Passed         bool     `json:"passed"`
	Threshold      float64  `json:"threshold"`
	Score          *float64 `json:"score"`
	FailedCriteria []string `json:"failed_criteria"`
	// Reason is gate.NoEvidence where there was no score to judge. Reports of
	// before it was recorded have overall among FailedCriteria then, and no reason.
	Reason string `json:"reason,omitempty"`
	// Margins tell by how much each judged score passed or failed, the worst first.
	Margins []Margin `json:"margins"`
	// Summary is the verdict in a sentence.
	Summary string `json:"summary,omitempty"`
}

// Margin is how far a score is from its threshold.
type Margin struct {
	Criterion string  `json:"criterion"`
	Score     float64 `json:"score"`
	Threshold float64 `json:"threshold"`
	Passed    bool    `json:"passed"`
	// By is score − threshold: negative by how much it falls short.
	By       float64  `json:"by"`
	Interval Interval `json:"interval"`
	// Clear: the 95 % interval lies on the score's side of the threshold, so that
	// other simulated users would hardly have turned the verdict.
	Clear bool `json:"clear"`
}

// Confidence says how far the simulation itself is to be trusted, apart from
// whether it speaks for people.
type Confidence struct {
	// Level is high, medium or low.
	Level       string  `json:"level"`
	Explanation string  `json:"explanation"`
	Limits      []Limit `json:"limits"`
	// Transfer is what is known about people doing the same.
	Transfer string `json:"transfer_to_people"`
}

// Limit is one limit of the simulation and how many sessions it touched.
type Limit struct {
	Kind        string `json:"kind"`
	Description string `json:"description"`
	Sessions    int    `json:"sessions"`
}
