package sites

// faultKinds lists the kinds of faults with what each does to a visitor.
func faultKinds() []kind {
	return []kind{
		// Dose: the contrast ratio, 7 to 1.5. The text of the element, and a
		// button's outline with it, has that ratio with what lies behind. Who sees
		// less than others misses it, others take longer.
		{name: "low_contrast", effect: Slowing, dose: 1.6, rewrite: lowContrast},
		// Dose: side of the target in CSS px, 44 to 8. Only a small mark beside the
		// words reacts, the words do not; a box is that small and its label dead.
		{name: "small_target", effect: Slowing, dose: 12, rewrite: smallTarget},
		// Dose: 0 as it was, 1 words that promise nothing, 2 an icon without a name.
		// Who cannot guess goes elsewhere.
		{name: "vague_label", effect: Abandoning, dose: 1, rewrite: vagueLabel},
		// An icon that means nothing, without text and without accessible name.
		{name: "icon_only", effect: Abandoning, rewrite: iconOnly},
		// Two more links with the same words that lead elsewhere stand before it.
		{name: "competing_labels", effect: Slowing, rewrite: competingLabels},
		// Dose: screens of decoration before the element. Where there were several
		// ways on the page, one is left.
		{name: "below_the_fold", effect: Slowing, dose: 2, rewrite: belowTheFold},
		// The one way left on the page is in a closed disclosure with a vague name.
		{name: "hidden_in_menu", effect: Slowing, rewrite: hiddenInMenu},
		// A panel that cannot be closed lies over the element and takes every click;
		// only the keyboard gets past it.
		{name: "covered", effect: Blocking, rewrite: covered},
		// A dialog that nobody asked for opens when the page loads; it can be closed.
		{name: "interruption", effect: Slowing, page: true, rewrite: interruption},
		// The element looks as before and does nothing.
		{name: "dead_control", effect: Blocking, rewrite: deadControl},
		// The element's script throws before it has done what it should.
		{name: "script_error", effect: Blocking, rewrite: scriptError},
		// The link leads to an address that is not there.
		{name: "broken_link", effect: Blocking, rewrite: brokenLink},
		// The form around the element is answered with status 500, every time.
		{name: "server_error", effect: Blocking, page: true, serve: serverError},
		// Dose: milliseconds before the server answers.
		{name: "slow_page", effect: Slowing, page: true, dose: 5000, serve: slowPage},
		// The field has no label, hint, placeholder or accessible name; only the
		// complaint about an empty one tells what it wants.
		{name: "unlabelled_field", effect: Abandoning, rewrite: unlabelledField},
		// A pattern that is too narrow refuses what most people write; the complaint
		// beside the field says that it is not valid and not why. Input is kept.
		{name: "format_rejected", effect: Abandoning, serve: formatRejected},
		// The same pattern, and any other mistake, is answered with one sentence at
		// the top of the form that names neither field nor rule.
		{name: "unspecific_error", effect: Abandoning, page: true, serve: unspecificError, rewrite: hideErrors},
		// The first time a form is sent it has expired and comes back empty, and so
		// it does after every mistake. The second time it is taken.
		{name: "input_lost", effect: Slowing, page: true, serve: inputLost, rewrite: emptyAfterError},
		// The button waits for a check that never ends, and says nothing.
		{name: "disabled_submit", effect: Blocking, rewrite: disabledSubmit},
		// The page shows nothing but a demand for an account until one is made.
		{name: "forced_account", effect: Abandoning, page: true, serve: forcedAccount},
		// Dose: words in one block. The element's text, if any, is somewhere in it.
		{name: "wall_of_text", effect: Slowing, page: true, dose: 450, rewrite: wallOfText},
		// Headings and paragraphs speak the language of the makers. What the
		// selector matches, links and controls keep their words.
		{name: "jargon", effect: Slowing, page: true, rewrite: jargon},
		// The element, and every link to the same place, is missing on the page.
		{name: "dead_end", effect: Blocking, page: true, rewrite: deadEnd},
		// The page that the link leads to redirects to itself.
		{name: "redirect_loop", effect: Blocking, rewrite: loopingLink, serve: redirectLoop},
		// A click works and nothing else does: neither a role nor the keyboard.
		// Blocking for those without a mouse or a finger.
		{name: "mouse_only", effect: Slowing, rewrite: mouseOnly},
		// Dose: the cumulative layout shift. A notice pushes everything down shortly
		// after the page has loaded.
		{name: "layout_shift", effect: Slowing, page: true, dose: 0.35, rewrite: layoutShift},
		// A fee that nobody has spoken of stands above the last button.
		{name: "late_cost", effect: Abandoning, page: true, rewrite: lateCost},
		// One more required field asks for a National Insurance number.
		{name: "needless_field", effect: Abandoning, rewrite: needlessField, serve: needlessValue},
	}
}
