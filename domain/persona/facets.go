package persona

// Persona is one simulated user. Only Facets decide how it behaves: the name
// and the summary are for people to read, and the id is for programs.
type Persona struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Facets  Facets `json:"facets"`
}

// Facets is what makes one user behave differently from another. The first
// five follow GenderMag's facets (gendermag.org); the rest are abilities.
// A zero value means "not given" and is replaced by WithDefaults.
type Facets struct {
	// AgeBand is one of AgeBands.
	AgeBand string `json:"age_band,omitempty"`
	// Motivation is task_focused (uses a page to get something done) or
	// exploratory (likes to look around).
	Motivation string `json:"motivation,omitempty"`
	// InformationProcessing is comprehensive (reads much before acting) or
	// selective (acts on the first promising cue).
	InformationProcessing string `json:"information_processing,omitempty"`
	// SelfEfficacy with computers is low, medium or high.
	SelfEfficacy string `json:"self_efficacy,omitempty"`
	// RiskAttitude is averse, neutral or tolerant.
	RiskAttitude string `json:"risk_attitude,omitempty"`
	// LearningStyle is process (step by step) or tinkering (by trying).
	LearningStyle string `json:"learning_style,omitempty"`
	// ReadingWPM is the silent reading speed in words per minute, 60–450.
	ReadingWPM int `json:"reading_wpm,omitempty"`
	// DomainKnowledge of what the page is about is low, medium or high.
	DomainKnowledge string `json:"domain_knowledge,omitempty"`
	// LanguageLevel in the page's language is basic, intermediate, fluent or native.
	LanguageLevel string `json:"language_level,omitempty"`
	// Patience multiplies the unproductive seconds that are put up with, 0.2–5.
	Patience float64 `json:"patience,omitempty"`
	// MotorPrecision is 1 for a steady hand, less for one that lands off the
	// point: the endpoint's standard deviation is 2 px divided by it; 0.1–1.
	MotorPrecision float64 `json:"motor_precision,omitempty"`
	Vision         Vision  `json:"vision,omitzero"`
	// KeyboardOnly: no pointing device.
	KeyboardOnly bool `json:"keyboard_only,omitempty"`
	// ScreenReader: hears the page in its order instead of seeing it.
	ScreenReader bool `json:"screen_reader,omitempty"`
	// Zoom is the browser zoom that the persona sets, 1–4.
	Zoom float64 `json:"zoom,omitempty"`
	// TypingWPM is the typing speed in words of five keystrokes, 8–150.
	TypingWPM int `json:"typing_wpm,omitempty"`
}

// Vision says how much more contrast and size a persona needs.
type Vision struct {
	// ContrastFactor multiplies the contrast needed to notice a text, 1–4.
	ContrastFactor float64 `json:"contrast_factor,omitempty"`
	// MinFont is the smallest comfortable text in CSS px before zoom, 6–40.
	MinFont float64 `json:"min_font,omitempty"`
}

// The values of the facets that are words.
const (
	TaskFocused   = "task_focused"
	Exploratory   = "exploratory"
	Comprehensive = "comprehensive"
	Selective     = "selective"
	Low           = "low"
	Medium        = "medium"
	High          = "high"
	Averse        = "averse"
	Neutral       = "neutral"
	Tolerant      = "tolerant"
	Process       = "process"
	Tinkering     = "tinkering"
	Basic         = "basic"
	Intermediate  = "intermediate"
	Fluent        = "fluent"
	Native        = "native"
)

// The legal words of each facet, in order.
var (
	AgeBands        = []string{"18-24", "25-34", "35-44", "45-54", "55-64", "65-74", "75+"}
	motivations     = []string{TaskFocused, Exploratory}
	processings     = []string{Comprehensive, Selective}
	levels          = []string{Low, Medium, High}
	riskAttitudes   = []string{Averse, Neutral, Tolerant}
	learningStyles  = []string{Process, Tinkering}
	languageLevels  = []string{Basic, Intermediate, Fluent, Native}
	defaultAgeBand  = "35-44"
	defaultWPM      = 238 // silent non-fiction in English: Brysbaert 2019
	defaultTyping   = 60  // K = 0.20 s, the skilled typist of the keystroke-level model (Card, Moran and Newell 1983)
	defaultMinFont  = 9.0 // below this, text is illegible to most at arm's length: an assumption, to be calibrated
	defaultPatience = 1.0
)

// WithDefaults fills in every facet that was not given with a middling one.
func (f Facets) WithDefaults() Facets {
	word := func(p *string, d string) {
		if *p == "" {
			*p = d
		}
	}
	word(&f.AgeBand, defaultAgeBand)
	word(&f.Motivation, TaskFocused)
	word(&f.InformationProcessing, Selective)
	word(&f.SelfEfficacy, Medium)
	word(&f.RiskAttitude, Neutral)
	word(&f.LearningStyle, Process)
	word(&f.DomainKnowledge, Medium)
	word(&f.LanguageLevel, Native)
	number := func(p *float64, d float64) {
		if *p == 0 {
			*p = d
		}
	}
	number(&f.Patience, defaultPatience)
	number(&f.MotorPrecision, 1)
	number(&f.Vision.ContrastFactor, 1)
	number(&f.Vision.MinFont, defaultMinFont)
	number(&f.Zoom, 1)
	if f.ReadingWPM == 0 {
		f.ReadingWPM = defaultWPM
	}
	if f.TypingWPM == 0 {
		f.TypingWPM = defaultTyping
	}
	return f
}

// AgeIndex is the position of the age band in AgeBands, 0 for the youngest;
// an unknown band counts as the default one.
func (f Facets) AgeIndex() int {
	for i, b := range AgeBands {
		if b == f.AgeBand {
			return i
		}
	}
	return 2
}
