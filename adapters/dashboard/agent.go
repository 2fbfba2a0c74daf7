package dashboard

import "strings"

// browserWords names a browser and its system by what it says of itself; what is
// unknown says it in its own words.
func browserWords(agent string) string {
	browser, system := firstOf(agent, "Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "HeadlessChrome/", "Chrome", "Chrome/", "Chrome", "Safari/", "Safari"),
		firstOf(agent, "iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "Mac OS X", "macOS", "Linux", "Linux")
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case agent == "":
		return "A program that does not name itself"
	}
	return agent
}

// firstOf is the name beside the first mark that a text has.
func firstOf(text string, marksAndNames ...string) string {
	for i := 0; i < len(marksAndNames); i += 2 {
		if strings.Contains(text, marksAndNames[i]) {
			return marksAndNames[i+1]
		}
	}
	return ""
}
