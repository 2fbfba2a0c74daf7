package dashboard

import (
	"understudy/adapters/service"
	"understudy/domain"
)

// either finds a thing where somebody looks, live or in the sandbox, or else in the other
// of the two, and tells as whom they see it.
func (d *Dashboard) either(who service.Principal, find func(service.Principal) error) (service.Principal, error) {
	err := find(who)
	if domain.CodeOf(err) != domain.CodeNotFound {
		return who, err
	}
	other := who
	if other.Environment = domain.Sandbox; who.Environment == domain.Sandbox {
		other.Environment = domain.Live
	}
	if otherErr := find(other); otherErr == nil {
		return other, nil
	}
	return who, err
}
