package process

import (
	"slices"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/apikey"
	"understudy/domain/comparison"
	"understudy/domain/custompersona"
	"understudy/domain/delivery"
	"understudy/domain/grant"
	"understudy/domain/notice"
	"understudy/domain/oauthclient"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/user"
	"understudy/domain/webhook"
)

// Catalogue lists every event of every stream.
func Catalogue() []domain.Entry {
	return slices.Concat(
		testrun.Catalogue, session.Catalogue, delivery.Catalogue, webhook.Catalogue, report.Catalogue,
		account.Catalogue, apikey.Catalogue, comparison.Catalogue, custompersona.Catalogue, notice.Catalogue,
		oauthclient.Catalogue, grant.Catalogue, user.Catalogue, address.Catalogue,
	)
}
