package persona

type archetype struct {
	name, summary string
	facets        Facets
}

type packSpec struct {
	slug, name, description string
	archetypes              []archetype
}

// packSpecs are the shipped packs. An archetype's facets are judgements about
// who comes to a site, not measurements; changing one changes walks.
var packSpecs = []packSpec{
	{"general-consumers", "General consumers", "Everyday visitors of mixed age, confidence and speed.", []archetype{
		{"Maria", "Shops online every week and knows her way around.", Facets{AgeBand: "35-44", SelfEfficacy: High, TypingWPM: 55}},
		{"Tomas", "Compares everything before he decides.", Facets{AgeBand: "45-54", InformationProcessing: Comprehensive, RiskAttitude: Averse, ReadingWPM: 225, Patience: 1.4}},
		{"Aisha", "Browses on the way, clicks what looks interesting.", Facets{AgeBand: "18-24", Motivation: Exploratory, LearningStyle: Tinkering, ReadingWPM: 260, TypingWPM: 65}},
		{"Patrick", "Uses websites when he has to.", Facets{AgeBand: "55-64", SelfEfficacy: Low, RiskAttitude: Averse, ReadingWPM: 210, TypingWPM: 30}},
		{"Lin", "Quick, practical, wants prices up front.", Facets{AgeBand: "25-34", RiskAttitude: Averse, Patience: 0.8, ReadingWPM: 270, TypingWPM: 70}},
		{"Rosa", "Takes her time and reads what is on the page.", Facets{AgeBand: "65-74", InformationProcessing: Comprehensive, ReadingWPM: 200, TypingWPM: 28, Patience: 1.6, MotorPrecision: 0.75, Vision: Vision{1.2, 11}}},
	}},
	{"older-adults", "Older adults", "People over 65 with varied experience, eyesight and hands.", []archetype{
		{"Margaret", "Retired teacher, careful reader, writes e-mails daily.", Facets{AgeBand: "65-74", InformationProcessing: Comprehensive, ReadingWPM: 215, TypingWPM: 40, Patience: 1.5, Vision: Vision{1.3, 12}, MotorPrecision: 0.75}},
		{"Henrik", "Got his first smartphone at seventy.", Facets{AgeBand: "75+", SelfEfficacy: Low, RiskAttitude: Averse, DomainKnowledge: Low, ReadingWPM: 180, TypingWPM: 16, Patience: 1.2, Vision: Vision{1.5, 14}, MotorPrecision: 0.5}},
		{"Ruth", "Former engineer who likes to try things out.", Facets{AgeBand: "75+", SelfEfficacy: High, LearningStyle: Tinkering, RiskAttitude: Tolerant, ReadingWPM: 205, TypingWPM: 35, Vision: Vision{1.4, 12}, MotorPrecision: 0.6}},
		{"Ibrahim", "Enlarges every page before he starts.", Facets{AgeBand: "65-74", Zoom: 1.75, InformationProcessing: Comprehensive, ReadingWPM: 190, TypingWPM: 22, Vision: Vision{1.5, 16}, MotorPrecision: 0.7}},
		{"Teresa", "Hands tremble a little, so small buttons are hard.", Facets{AgeBand: "75+", MotorPrecision: 0.3, ReadingWPM: 195, TypingWPM: 18, Patience: 1.3, Vision: Vision{1.3, 12}}},
	}},
	{"accessibility", "Accessibility", "People who meet the web with assistive technology or settings of their own.", []archetype{
		{"Samir", "Blind, fluent with his screen reader.", Facets{AgeBand: "35-44", ScreenReader: true, KeyboardOnly: true, SelfEfficacy: High, ReadingWPM: 300, TypingWPM: 75, Patience: 1.2}},
		{"Helena", "New to a screen reader after losing her sight.", Facets{AgeBand: "55-64", ScreenReader: true, KeyboardOnly: true, SelfEfficacy: Low, InformationProcessing: Comprehensive, ReadingWPM: 170, TypingWPM: 25}},
		{"Jonas", "Works with the keyboard alone.", Facets{AgeBand: "25-34", KeyboardOnly: true, ReadingWPM: 245, TypingWPM: 50}},
		{"Yara", "Has low vision and zooms to 300 %.", Facets{AgeBand: "45-54", Zoom: 3, Vision: Vision{1.8, 18}, ReadingWPM: 160, TypingWPM: 45, Patience: 1.2}},
		{"Kwame", "Has a tremor and often lands beside small targets.", Facets{AgeBand: "55-64", MotorPrecision: 0.25, ReadingWPM: 230, TypingWPM: 20}},
		{"Petra", "Sees weak contrast badly, above all in sunlight.", Facets{AgeBand: "45-54", Vision: Vision{2.2, 13}, ReadingWPM: 230}},
		{"Theo", "Reads slowly because of dyslexia and skips long text.", Facets{AgeBand: "18-24", ReadingWPM: 120, InformationProcessing: Selective, LearningStyle: Tinkering, Patience: 0.9}},
	}},
	{"mobile-first", "Mobile first", "People who do everything on a phone, often with one hand.", []archetype{
		{"Zoe", "Types with two thumbs, faster than most on a keyboard.", Facets{AgeBand: "18-24", Motivation: Exploratory, LearningStyle: Tinkering, RiskAttitude: Tolerant, SelfEfficacy: High, ReadingWPM: 265, TypingWPM: 50, Patience: 0.7}},
		{"Carlos", "Fills in forms on the bus.", Facets{AgeBand: "25-34", ReadingWPM: 240, TypingWPM: 32, Patience: 0.8, MotorPrecision: 0.7}},
		{"Nadia", "Has a child on one arm and the phone in the other hand.", Facets{AgeBand: "35-44", ReadingWPM: 235, TypingWPM: 25, Patience: 0.6, MotorPrecision: 0.6}},
		{"Wanjiru", "Runs a small business from her phone.", Facets{AgeBand: "25-34", LanguageLevel: Fluent, SelfEfficacy: High, ReadingWPM: 230, TypingWPM: 38}},
		{"Viktor", "Uses his phone for calls, websites only when sent there.", Facets{AgeBand: "55-64", SelfEfficacy: Low, RiskAttitude: Averse, ReadingWPM: 205, TypingWPM: 14, MotorPrecision: 0.6, Vision: Vision{1.2, 13}}},
	}},
	{"busy-professionals", "Busy professionals", "People between two meetings, who want an answer now.", []archetype{
		{"Priya", "Gives a page half a minute.", Facets{AgeBand: "35-44", SelfEfficacy: High, Patience: 0.4, ReadingWPM: 285, TypingWPM: 80, DomainKnowledge: High}},
		{"Stefan", "Buys for his company and needs terms and prices.", Facets{AgeBand: "45-54", RiskAttitude: Averse, InformationProcessing: Comprehensive, Patience: 0.7, ReadingWPM: 260, TypingWPM: 60, DomainKnowledge: High}},
		{"Grace", "Skims headings, uses search first.", Facets{AgeBand: "25-34", Patience: 0.5, ReadingWPM: 290, TypingWPM: 75, SelfEfficacy: High}},
		{"Rafael", "Interrupted every few minutes.", Facets{AgeBand: "35-44", Patience: 0.45, ReadingWPM: 250, TypingWPM: 55}},
		{"Mei", "Decides quickly and moves on quickly.", Facets{AgeBand: "25-34", RiskAttitude: Tolerant, LearningStyle: Tinkering, Patience: 0.5, ReadingWPM: 280, TypingWPM: 70}},
	}},
	{"first-time-visitors", "First-time visitors", "People who have never heard of the site and know little of its subject.", []archetype{
		{"Emma", "Came from an advertisement, does not know the product.", Facets{AgeBand: "25-34", DomainKnowledge: Low, ReadingWPM: 245}},
		{"Bogdan", "Was told about it by a friend, a bit sceptical.", Facets{AgeBand: "35-44", DomainKnowledge: Low, RiskAttitude: Averse, InformationProcessing: Comprehensive, ReadingWPM: 225}},
		{"Thandi", "Curious, opens everything once.", Facets{AgeBand: "18-24", DomainKnowledge: Low, Motivation: Exploratory, LearningStyle: Tinkering, RiskAttitude: Tolerant, ReadingWPM: 255, TypingWPM: 55}},
		{"Giulia", "Wants to understand before she gives her address.", Facets{AgeBand: "45-54", DomainKnowledge: Low, RiskAttitude: Averse, SelfEfficacy: Low, InformationProcessing: Comprehensive, ReadingWPM: 215, TypingWPM: 35}},
		{"Sean", "Looks for one thing, leaves if it is not obvious.", Facets{AgeBand: "35-44", DomainKnowledge: Low, Patience: 0.5, ReadingWPM: 260, TypingWPM: 50}},
	}},
	{"second-language", "Second language", "People who read the page in a language that is not their first.", []archetype{
		{"Oksana", "Arrived recently, knows everyday words.", Facets{AgeBand: "35-44", LanguageLevel: Basic, ReadingWPM: 120, TypingWPM: 35, Patience: 1.2}},
		{"Yusuf", "Studies abroad and reads well, slowly.", Facets{AgeBand: "18-24", LanguageLevel: Intermediate, SelfEfficacy: High, ReadingWPM: 165, TypingWPM: 60}},
		{"Ayumi", "Works in the language, stumbles over idioms.", Facets{AgeBand: "25-34", LanguageLevel: Fluent, InformationProcessing: Comprehensive, ReadingWPM: 205, TypingWPM: 60}},
		{"Tariq", "Knows the words of his trade and little else.", Facets{AgeBand: "45-54", LanguageLevel: Basic, DomainKnowledge: High, ReadingWPM: 125, TypingWPM: 30, RiskAttitude: Averse}},
		{"Ines", "Looks for icons and familiar words.", Facets{AgeBand: "55-64", LanguageLevel: Intermediate, SelfEfficacy: Low, ReadingWPM: 150, TypingWPM: 25}},
	}},
	{"developers", "Developers", "People who read documentation for a living.", []archetype{
		{"Nikhil", "Goes straight for the documentation and the search box.", Facets{AgeBand: "25-34", DomainKnowledge: High, SelfEfficacy: High, LearningStyle: Tinkering, RiskAttitude: Tolerant, ReadingWPM: 280, TypingWPM: 90}},
		{"Freya", "Reads the whole page, including the fine print.", Facets{AgeBand: "35-44", DomainKnowledge: High, SelfEfficacy: High, InformationProcessing: Comprehensive, ReadingWPM: 265, TypingWPM: 85, Patience: 1.3}},
		{"Kenji", "Never leaves the keyboard if he can help it.", Facets{AgeBand: "25-34", DomainKnowledge: High, SelfEfficacy: High, KeyboardOnly: true, ReadingWPM: 250, TypingWPM: 95}},
		{"Leila", "Learning to program, follows instructions step by step.", Facets{AgeBand: "18-24", DomainKnowledge: Medium, LearningStyle: Process, ReadingWPM: 240, TypingWPM: 55}},
		{"Marek", "On call at night, in a hurry.", Facets{AgeBand: "45-54", DomainKnowledge: High, SelfEfficacy: High, Patience: 0.4, ReadingWPM: 270, TypingWPM: 80}},
	}},
}
