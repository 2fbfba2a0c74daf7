package persona

// Sheet is a persona as sessions and packs show it: one object, its facets beside
// its name, in the order of the fields' names.
type Sheet struct {
	AgeBand               string  `json:"age_band,omitempty"`
	DomainKnowledge       string  `json:"domain_knowledge,omitempty"`
	ID                    string  `json:"id"`
	InformationProcessing string  `json:"information_processing,omitempty"`
	KeyboardOnly          bool    `json:"keyboard_only,omitempty"`
	LanguageLevel         string  `json:"language_level,omitempty"`
	LearningStyle         string  `json:"learning_style,omitempty"`
	Motivation            string  `json:"motivation,omitempty"`
	MotorPrecision        float64 `json:"motor_precision,omitempty"`
	Name                  string  `json:"name"`
	Patience              float64 `json:"patience,omitempty"`
	ReadingWPM            int     `json:"reading_wpm,omitempty"`
	RiskAttitude          string  `json:"risk_attitude,omitempty"`
	ScreenReader          bool    `json:"screen_reader,omitempty"`
	SelfEfficacy          string  `json:"self_efficacy,omitempty"`
	Summary               string  `json:"summary"`
	TypingWPM             int     `json:"typing_wpm,omitempty"`
	Vision                Vision  `json:"vision,omitzero"`
	Zoom                  float64 `json:"zoom,omitempty"`
}

// Sheet shows the persona.
func (p Persona) Sheet() Sheet {
	f := p.Facets
	return Sheet{
		ID: p.ID, Name: p.Name, Summary: p.Summary,
		AgeBand: f.AgeBand, Motivation: f.Motivation, InformationProcessing: f.InformationProcessing, SelfEfficacy: f.SelfEfficacy,
		RiskAttitude: f.RiskAttitude, LearningStyle: f.LearningStyle, ReadingWPM: f.ReadingWPM, DomainKnowledge: f.DomainKnowledge,
		LanguageLevel: f.LanguageLevel, Patience: f.Patience, MotorPrecision: f.MotorPrecision, Vision: f.Vision,
		KeyboardOnly: f.KeyboardOnly, ScreenReader: f.ScreenReader, Zoom: f.Zoom, TypingWPM: f.TypingWPM,
	}
}

// Facets are those that the sheet shows.
func (s Sheet) Facets() Facets {
	return Facets{
		AgeBand: s.AgeBand, Motivation: s.Motivation, InformationProcessing: s.InformationProcessing, SelfEfficacy: s.SelfEfficacy,
		RiskAttitude: s.RiskAttitude, LearningStyle: s.LearningStyle, ReadingWPM: s.ReadingWPM, DomainKnowledge: s.DomainKnowledge,
		LanguageLevel: s.LanguageLevel, Patience: s.Patience, MotorPrecision: s.MotorPrecision, Vision: s.Vision,
		KeyboardOnly: s.KeyboardOnly, ScreenReader: s.ScreenReader, Zoom: s.Zoom, TypingWPM: s.TypingWPM,
	}
}
