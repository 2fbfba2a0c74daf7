package findings

import "understudy/domain/scoring"

// The kinds of issues.
const (
	DeadClick       = "dead_click"
	ErrorClick      = "error_click"
	QuickBack       = "quick_back"
	BrokenLink      = "broken_link"
	ScriptError     = "script_error"
	FormError       = "form_error"
	UnlabelledField = "unlabelled_field"
	BelowFold       = "below_the_fold"
	CompetingLabels = "competing_labels"
	UnclearLabel    = "unclear_label"
	HiddenInMenu    = "hidden_in_menu"
	Covered         = "covered"
	LowContrast     = "low_contrast"
	SmallTarget     = "small_target"
	DisabledControl = "disabled_control"
	SlowPage        = "slow_page"
	WallOfText      = "wall_of_text"
	UnfamiliarWords = "unfamiliar_words"
	LostScent       = "no_way_on"
	Interruption    = "interruption"
	ServerError     = "server_error"
	RedirectLoop    = "redirect_loop"
	InputLost       = "input_lost"
	UnspecificError = "unspecific_error"
	ForcedAccount   = "forced_account"
	MouseOnly       = "mouse_only"
	LayoutShift     = "layout_shift"
	LateCost        = "late_cost"
	NeedlessField   = "needless_field"
	NoConfirmation  = "no_confirmation"
	EmptySearch     = "empty_search"
	OffScreen       = "off_screen"
	// AccessibilityRule is a rule of the audit that no other kind stands for.
	AccessibilityRule = "accessibility_rule"

	// LimitAction and the others that begin so are limits of the simulation.
	LimitAction = "limit_action"
	LimitSteps  = "limit_steps"
	LimitGoal   = "limit_goal"
	LimitModel  = "limit_model"
	LimitUnsure = "limit_unsure"
	LimitScript = "limit_script"
	LimitPage   = "limit_page"
	LimitBelief = "limit_belief"
	LimitBusy   = "limit_busy"
	LimitInputs = "limit_inputs"
	// LimitPrivate: part of the page is missing that is at a private address.
	LimitPrivate = "limit_private"
)

// text is what a report says about a kind. %s is the element's name in quotes,
// or "the page".
type text struct {
	title, description, suggestion, standard string
	criteria                                 []string
}

// deterministic kinds reproduce for everybody: one session proves them.
var deterministic = map[string]bool{
	BrokenLink: true, ScriptError: true, ErrorClick: true, DeadClick: true, DisabledControl: true,
	ServerError: true, RedirectLoop: true, MouseOnly: true, // for everybody without a pointer
}

var texts = map[string]text{
	DeadClick: {"Nothing happens when %s is clicked", "It looks as if it could be clicked, but a click changes nothing and nothing says that it was noticed.",
		"Make it do what it promises, or make it look like plain text.", "", []string{scoring.TaskCompletion, scoring.CTAFindability, scoring.Navigation}},
	ErrorClick: {"Clicking %s causes an error", "The click was followed by a script error or a failed request.",
		"Fix the error, and tell the user when a request fails.", "", []string{scoring.TaskCompletion, scoring.ErrorRecovery}},
	QuickBack: {"%s leads somewhere else than expected", "The page behind it was left again at first sight.",
		"Say in the label what is behind it, and repeat those words at the top of the page it leads to.", "", []string{scoring.Navigation, scoring.CTAFindability}},
	BrokenLink: {"%s leads to an error page", "The address answers with an error status.",
		"Correct the link or bring the page back; give the error page a way on.", "", []string{scoring.TaskCompletion, scoring.Navigation, scoring.Trust}},
	ScriptError: {"A script fails on this page", "An uncaught exception was raised while the page was used.",
		"Fix the exception; what depends on it may not work.", "", []string{scoring.TaskCompletion}},
	FormError: {"%s refuses what people enter", "The value was plausible and the form refused it, or only said so after it was sent.",
		"Accept the usual ways of writing it, say the rule beside the field before it is sent, and keep what was entered.", "WCAG 2.2 3.3.1, 3.3.3", []string{scoring.ErrorRecovery, scoring.TaskCompletion}},
	UnlabelledField: {"%s does not say what it wants", "The field has no visible label of its own; a placeholder disappears when typing begins.",
		"Give the field a visible label that stays.", "WCAG 2.2 3.3.2, 4.1.2", []string{scoring.Accessibility, scoring.ErrorRecovery}},
	BelowFold: {"%s is only found by scrolling", "What the task needs is not on the first screen, and little there says that it follows.",
		"Bring it, or a link to it, onto the first screen.", "", []string{scoring.CTAFindability}},
	CompetingLabels: {"%s competes with others that promise the same", "Several controls on the screen smell of the same goal and lead to different places.",
		"Keep one, or say in the labels what makes them different.", "", []string{scoring.CTAFindability, scoring.Navigation}},
	UnclearLabel: {"%s does not say what it does", "The control has no readable name: people guess.",
		"Give it a visible text, or at least an accessible name.", "WCAG 2.2 4.1.2, 2.4.4", []string{scoring.CTAFindability, scoring.Accessibility}},
	HiddenInMenu: {"%s is hidden in a menu", "The way on could only be found by opening a menu.",
		"Show what most people come for outside the menu.", "", []string{scoring.CTAFindability, scoring.Navigation}},
	Covered: {"%s is covered by something else", "It lies on the screen but under an overlay, so that it cannot be reached.",
		"Keep banners and dialogs off what people need, and make them easy to close.", "WCAG 2.2 2.4.11", []string{scoring.CTAFindability, scoring.Accessibility}},
	LowContrast: {"%s is hard to read", "The contrast of its words with what is behind them, or their size, is too small.",
		"Raise the contrast to at least 4.5:1 (3:1 for large text) and the text to a readable size.", "WCAG 2.2 1.4.3", []string{scoring.Accessibility, scoring.CTAFindability}},
	SmallTarget: {"%s is hard to hit", "The target is so small that a finger or an unsteady hand lands beside it.",
		"Make it at least 24 by 24 CSS px, better 44, or leave space around it.", "WCAG 2.2 2.5.8", []string{scoring.Accessibility, scoring.Efficiency}},
	DisabledControl: {"%s cannot be used, and nothing says why", "Everything seemed filled in, yet the control stayed disabled.",
		"Keep it usable and say what is missing when it is pressed.", "WCAG 2.2 3.3.1", []string{scoring.TaskCompletion, scoring.ErrorRecovery}},
	SlowPage: {"The page takes long to come to rest", "People waited for more than four seconds.",
		"Load what the first screen needs first.", "Web Vitals: LCP ≤ 2.5 s", []string{scoring.Speed, scoring.Efficiency}},
	WallOfText: {"A wall of text", "One block is so long that it is skipped rather than read.",
		"Cut it, or break it up with headings and lists.", "", []string{scoring.Readability}},
	UnfamiliarWords: {"Many words here are hard for these visitors", "More than a tenth of the words are long or technical for somebody with this knowledge of subject and language.",
		"Use the words that your visitors use, and explain those you need.", "WCAG 2.2 3.1.5", []string{scoring.Readability}},
	LostScent: {"Nothing on this page says how to go on", "No label here promises what the task is about.",
		"Name what people come for in the words that they use.", "", []string{scoring.Navigation, scoring.CTAFindability}},
	Interruption: {"Something gets in the way", "A dialog or banner that nobody asked for had to be put away first.",
		"Leave it out, or show it where it covers nothing.", "", []string{scoring.Trust, scoring.Efficiency}},
	ServerError: {"Sending the form fails on the server", "What was filled in was sent, and the server answered with an error.",
		"Fix the error on the server; keep what was entered, say that it was not the visitor's fault, and let them send it again.", "", []string{scoring.TaskCompletion, scoring.ErrorRecovery, scoring.Trust}},
	RedirectLoop: {"%s leads in circles", "The address redirects until the browser gives up.",
		"Correct the redirects; often a cookie or a language rule sends visitors back and forth.", "", []string{scoring.TaskCompletion, scoring.Navigation}},
	InputLost: {"What was entered is lost after an error", "The form comes back empty, so that everything has to be entered again.",
		"Fill the form with what was sent, passwords and card numbers apart.", "WCAG 2.2 3.3.7", []string{scoring.ErrorRecovery, scoring.TaskCompletion}},
	UnspecificError: {"The form says that something is wrong, but not what", "One sentence tells of an error; no field is marked.",
		"Mark each field that was refused, say beside it what is wrong and how to put it right.", "WCAG 2.2 3.3.1, 3.3.3", []string{scoring.ErrorRecovery, scoring.TaskCompletion}},
	ForcedAccount: {"An account is demanded on the way", "What people came for does not need one.",
		"Let people go on as guests and offer the account afterwards.", "", []string{scoring.Trust, scoring.TaskCompletion}},
	MouseOnly: {"%s cannot be used without a mouse", "It reacts to a pointer, but no key reaches it and assistive technology does not announce it.",
		"Make it a real button or link.", "WCAG 2.2 2.1.1, 4.1.2", []string{scoring.Accessibility, scoring.TaskCompletion}},
	LayoutShift: {"The page jumps while it is being read", "Content moves after it has been shown, so that people lose their place or click on something else.",
		"Keep room for images, banners and late content from the start.", "Web Vitals: CLS ≤ 0.1", []string{scoring.Speed, scoring.Efficiency}},
	LateCost: {"A cost appears at the last step", "A fee that no page before had mentioned is added just before paying.",
		"Show all costs as soon as the price is shown.", "", []string{scoring.Trust}},
	NeedlessField: {"%s asks for what the task does not need", "People hesitate to give personal data that what they came for does not call for.",
		"Leave the field out, or make it optional and say what it is for.", "", []string{scoring.Trust, scoring.TaskCompletion}},
	NoConfirmation: {"Nothing says whether %s worked", "After it was pressed there was no confirmation and no error: people take it for done, or do not know.",
		"Say in words beside the button that it was taken, or what is to be put right, and let assistive technology announce it.", "WCAG 2.2 3.3.1, 4.1.3", []string{scoring.TaskCompletion, scoring.ErrorRecovery}},
	EmptySearch: {"The search finds nothing", "The search was asked for what the task is about, and its results were empty.",
		"Let it find other words for the same, and offer something where it finds nothing.", "", []string{scoring.TaskCompletion, scoring.Navigation}},
	OffScreen: {"%s lies outside the screen", "It stands beside what the window shows, so that only scrolling sideways brings it into view.",
		"Keep the page as wide as the window (no fixed widths or offsets), and what people need inside it.", "WCAG 2.2 1.4.10", []string{scoring.CTAFindability, scoring.Accessibility}},
	AccessibilityRule: {"%s breaks an accessibility rule", "An audit objects to an element that people need here.",
		"See the rule's page in axe-core's documentation for how to meet it.", "WCAG 2.2", []string{scoring.Accessibility}},
	LimitAction:  {"The browser could not carry an action out", "A limit of the simulation, not a finding about the page.", "", "", nil},
	LimitSteps:   {"The budget of steps ended the walk", "A limit of the simulation, not a finding about the page.", "Allow more steps (max_steps).", "", nil},
	LimitGoal:    {"The task was not understood", "A limit of the simulation, not a finding about the page.", "Say in the task what to do and with what.", "", nil},
	LimitUnsure:  {"Whether it was found is not certain", "A limit of the simulation, not a finding about the page.", "Say in the test's success conditions what has to be seen.", "", nil},
	LimitScript:  {"Scripts of other sites could not be loaded", "A limit of the simulation, not a finding about the page.", "Let the service reach them, or serve them from the page's own site.", "", nil},
	LimitPage:    {"What the task needs is on a part of a page that cannot be simulated", "A limit of the simulation, not a finding about the page.", "Test it in another way, or on a page without that part: with a CAPTCHA switched off, in a language that can be read.", "", nil},
	LimitBelief:  {"The simulated user took the task for done, and nothing confirms it", "A limit of the simulation, not a finding about the page.", "Say in the test's success conditions how success is told.", "", nil},
	LimitBusy:    {"The machine was too late to tell what an act had come to", "A limit of the simulation, not a finding about the page.", "Give the service a machine with less other work, or fewer sessions at once.", "", nil},
	LimitInputs:  {"An input was not typed at another site", "A limit of the simulation, not a finding about the page.", "If that site may have the inputs, list its origin in inputs_origins.", "", nil},
	LimitPrivate: {"A private address that the test does not name was not reached", "A limit of the simulation, not a finding about the page.", "If the page may reach it, list its origin in private_origins.", "", nil},
	LimitModel:   {"The language model stopped short", "A limit of the simulation, not a finding about the page.", "Raise the model's budget of tokens, or take the embedded model.", "", nil},
}

// details are the texts of a kind where its detail tells of something else than usual.
var details = map[string]map[string]text{
	UnclearLabel: {vague: {"%s does not say what is behind it", "Its words promise little of what people came for, who took it late or on a guess.",
		"Say in it what is behind it, in the words that people come with.", "WCAG 2.2 2.4.6", []string{scoring.CTAFindability, scoring.Navigation}}},
	UnlabelledField: {onlyPlaceholder: {"%s says what it wants only until typing begins", "The field has no visible label of its own; a placeholder disappears when typing begins.",
		"Give the field a visible label that stays.", "WCAG 2.2 3.3.2", []string{scoring.Accessibility, scoring.ErrorRecovery}}},
}

// vague is said of a control whose words promise little although it leads on.
const vague = "its words promise little of the task"

// wordsOf is what a report says about an observation.
func wordsOf(o *Observation) text {
	if t, ok := details[o.Kind][o.Detail]; ok {
		return t
	}
	return texts[o.Kind]
}

// nobodyMet says of what a rule objects to whom it would hinder, where a test had nobody
// of them.
var nobodyMet = map[string]string{
	MouseOnly:       "Nobody in this test used the keyboard alone or a screen reader; who does is stopped by it.",
	UnlabelledField: "Nobody in this test used a screen reader; who does is not told what it wants.",
	UnclearLabel:    "Nobody in this test used a screen reader; who does is not told what it is.",
	SmallTarget:     "Nobody in this test had an unsteady hand.",
	LowContrast:     "Nobody in this test saw badly.",
}
