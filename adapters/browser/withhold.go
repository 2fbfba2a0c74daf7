package browser

import (
	"context"

	"github.com/playwright-community/playwright-go"
)

// Withhold keeps requests from being sent in any tab of the session: those that again
// reports by method and address, with query. They end as if the page itself had given
// them up, and effects say so from then on (walk.Effect.Withheld). Every other request is
// looked at on its way, and the browser's cache is out of use.
func (s *Session) Withhold(ctx context.Context, again func(method, url string) bool) error {
	s.use.Lock()
	defer s.use.Unlock()
	err := s.input(ctx, func() error {
		return s.context.Route("**/*", func(r playwright.Route) {
			go func() { // an answer that fails means that the page has gone
				q := r.Request()
				if !again(q.Method(), q.URL()) {
					_ = r.Continue()
					return
				}
				s.log.note(func() { s.log.withheld = true })
				_ = r.Abort("aborted") // any other reason puts an error page in its place
			}()
		})
	})
	return wrap("keep requests from being sent", err)
}
