package access

// Operation is what a request needs to be let through. That what it names also
// belongs to the caller's organization and environment is for the reads to see to:
// anything else is not there.
type Operation struct {
	// Scope is the one that the credential needs.
	Scope string
	// Permission is what the role of the person behind the credential must have
	// beside the scope, "" for nothing.
	Permission Permission
	// SignedIn: somebody who has signed in with a browser needs the permission
	// alone.
	SignedIn bool
	// Public operations need no credential; one that is sent must be good.
	Public bool
	// SignedURL and StreamToken operations open for a capability in their address
	// as well, and that one thing only.
	SignedURL, StreamToken bool
}

// Operations is the one table of who may call what, by the operation's id in the
// OpenAPI document. The checks, the document's security and the table of docs/api.md
// are made from it.
var Operations = map[string]Operation{
	"createTest":           {Scope: TestsWrite},
	"listTests":            {Scope: TestsRead},
	"getTest":              {Scope: TestsRead},
	"cancelTest":           {Scope: TestsWrite},
	"listTestSessions":     {Scope: TestsRead},
	"getTestSession":       {Scope: TestsRead},
	"listTestEvents":       {Scope: TestsRead},
	"getTestReport":        {Scope: ReportsRead},
	"createReport":         {Scope: TestsWrite},
	"streamTest":           {Scope: TestsRead, StreamToken: true},
	"getSession":           {Scope: TestsRead},
	"listSessionEvents":    {Scope: TestsRead},
	"getTrace":             {Scope: TestsRead},
	"getRecording":         {Scope: TestsRead},
	"listScreenshots":      {Scope: TestsRead},
	"getArtifact":          {Scope: TestsRead, SignedURL: true},
	"listReports":          {Scope: ReportsRead},
	"getReport":            {Scope: ReportsRead},
	"createComparison":     {Scope: TestsWrite},
	"listComparisons":      {Scope: ReportsRead},
	"getComparison":        {Scope: ReportsRead},
	"createPersona":        {Scope: PersonasWrite},
	"listPersonas":         {Scope: TestsRead},
	"getPersona":           {Scope: TestsRead},
	"changePersona":        {Scope: PersonasWrite},
	"deletePersona":        {Scope: PersonasWrite},
	"listPersonaPacks":     {Scope: TestsRead},
	"getPersonaPack":       {Scope: TestsRead},
	"listModels":           {Scope: TestsRead},
	"createWebhook":        {Scope: Full, Permission: Webhooks},
	"listWebhooks":         {Scope: Full, Permission: Webhooks},
	"streamWebhookEvents":  {Scope: Full, Permission: Webhooks},
	"getWebhook":           {Scope: Full, Permission: Webhooks},
	"changeWebhook":        {Scope: Full, Permission: Webhooks},
	"deleteWebhook":        {Scope: Full, Permission: Webhooks},
	"listWebhookEvents":    {Scope: Full, Permission: Webhooks},
	"pauseWebhook":         {Scope: Full, Permission: Webhooks},
	"enableWebhook":        {Scope: Full, Permission: Webhooks},
	"rotateSecret":         {Scope: Full, Permission: Webhooks},
	"promoteSecret":        {Scope: Full, Permission: Webhooks},
	"testWebhook":          {Scope: Full, Permission: Webhooks},
	"replayDeliveries":     {Scope: Full, Permission: Webhooks},
	"listDeliveries":       {Scope: Full, Permission: Webhooks},
	"replayDelivery":       {Scope: Full, Permission: Webhooks},
	"getDelivery":          {Scope: Full, Permission: Webhooks},
	"listDeliveryEvents":   {Scope: Full, Permission: Webhooks},
	"createKey":            {Scope: Full, Permission: OwnKeys, SignedIn: true},
	"listKeys":             {Scope: TestsRead},
	"getKey":               {Scope: TestsRead},
	"changeKey":            {Scope: Full, Permission: OwnKeys, SignedIn: true},
	"revokeKey":            {Scope: Full, Permission: OwnKeys, SignedIn: true},
	"rotateKey":            {Scope: Full, Permission: OwnKeys, SignedIn: true},
	"listKeyEvents":        {Scope: TestsRead},
	"getMe":                {},
	"listMembers":          {Scope: Full, Permission: Team},
	"getMember":            {Scope: Full, Permission: Team},
	"changeMember":         {Scope: Full, Permission: Team},
	"removeMember":         {Scope: Full, Permission: Team},
	"createInvitation":     {Scope: Full, Permission: Team},
	"listInvitations":      {Scope: Full, Permission: Team},
	"revokeInvitation":     {Scope: Full, Permission: Team},
	"transferOrganization": {Scope: Full, Permission: Billing},
	"listAuditEvents":      {Scope: Full, Permission: Team},

	"createOAuthClient":       {Scope: Full, Permission: Team},
	"listOAuthClients":        {Scope: Full, Permission: Team},
	"getOAuthClient":          {Scope: Full, Permission: Team},
	"changeOAuthClient":       {Scope: Full, Permission: Team},
	"deleteOAuthClient":       {Scope: Full, Permission: Team},
	"rotateOAuthClientSecret": {Scope: Full, Permission: Team},
	"listOAuthGrants":         {Scope: TestsRead},
	"revokeOAuthGrant":        {Scope: Full, SignedIn: true},

	"getOrganization":     {Scope: TestsRead},
	"changeOrganization":  {Scope: Full, Permission: Team},
	"deleteOrganization":  {Scope: Full, Permission: Billing},
	"changePlan":          {Scope: Full, Permission: Billing},
	"listPlans":           {Scope: TestsRead},
	"getUsage":            {Scope: TestsRead},
	"getAuditHead":        {Scope: TestsRead},
	"getAuditProof":       {Scope: TestsRead},
	"getAuditConsistency": {Scope: TestsRead},
	"getOpenAPI":          {Public: true},
}

// Anybody reports whether any credential will do, whatever its scopes.
func (o Operation) Anybody() bool { return !o.Public && o.Scope == "" && o.Permission == "" }

// Refusal is why an operation is refused.
type Refusal int

// The reasons, each answered in its own way.
const (
	Permitted Refusal = iota
	LacksScope
	LacksPermission
)

// Decide tells whether a credential with these scopes in effect, of somebody with
// this role, may call the operation. signedIn: it is a session of the dashboard.
func (o Operation) Decide(scopes []string, role Role, signedIn bool) Refusal {
	switch {
	case o.Public:
		return Permitted
	case o.Scope != "" && (!o.SignedIn || !signedIn) && !Allows(scopes, o.Scope):
		return LacksScope
	case o.Permission != "" && !role.May(o.Permission):
		return LacksPermission
	}
	return Permitted
}
