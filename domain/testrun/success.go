package testrun

import (
	"regexp"
	"strings"

	"understudy/domain"
)

// check refuses conditions that no page could fulfil, because they are not what
// they are read as.
func (s *Success) check() error {
	if s == nil {
		return nil
	}
	if _, err := regexp.Compile(s.URLMatches); err != nil {
		return domain.Invalid("success.url_matches", "wrong_format",
			"success.url_matches is no regular expression (RE2): %s; to look for it as it stands, write %s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "), regexp.QuoteMeta(s.URLMatches))
	}
	for _, given := range []struct{ field, text string }{{"text_visible", s.TextVisible}, {"request_made", s.RequestMade}} {
		if given.text != "" && strings.TrimSpace(given.text) == "" {
			return domain.Invalid("success."+given.field, "too_short", "success.%s must hold more than spaces", given.field)
		}
	}
	if s.SelectorVisible != "" {
		if wrong := checkSelector(s.SelectorVisible); wrong != "" {
			return domain.Invalid("success.selector_visible", "wrong_format", "success.selector_visible is no CSS selector: %s", wrong)
		}
	}
	return nil
}
