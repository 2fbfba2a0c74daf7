// One client of the npm package oauth4webapi runs code + PKCE, refresh and revocation
// against a service. The addresses that the person's browser is led to and from go
// over standard output and input: a line each.
import { createInterface } from 'node:readline/promises'
import { pathToFileURL } from 'node:url'

const { MODULES, ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, AUTH } = process.env
const oauth = await import(pathToFileURL(`${MODULES}/oauth4webapi/build/index.js`))
const insecure = { [oauth.allowInsecureRequests]: true } // loopback without TLS

const issuer = new URL(ISSUER)
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
const client = { client_id: CLIENT_ID }
const authenticate = { none: oauth.None, basic: oauth.ClientSecretBasic, post: oauth.ClientSecretPost }[AUTH](CLIENT_SECRET)

const verifier = oauth.generateRandomCodeVerifier()
const state = oauth.generateRandomState()
const ask = new URL(as.authorization_endpoint)
for (const [name, value] of Object.entries({
  client_id: CLIENT_ID, redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'tests:read reports:read', state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
})) ask.searchParams.set(name, value)
console.log(ask.href)
const lines = createInterface({ input: process.stdin })
const [back] = await lines[Symbol.asyncIterator]().next().then((l) => [l.value])
lines.close()

// It checks state and, because the metadata promises it, iss.
const answer = oauth.validateAuthResponse(as, client, new URL(back), state)
const first = await oauth.processAuthorizationCodeResponse(as, client,
  await oauth.authorizationCodeGrantRequest(as, client, authenticate, answer, REDIRECT_URI, verifier, insecure))
const second = await oauth.processRefreshTokenResponse(as, client,
  await oauth.refreshTokenGrantRequest(as, client, authenticate, first.refresh_token, insecure))
await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, authenticate, second.refresh_token, insecure))
let refused = ''
try {
  await oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, authenticate, second.refresh_token, insecure))
} catch (error) {
  refused = error.error
}
console.log(JSON.stringify({ scope: first.scope, expires_in: first.expires_in, rotated: first.refresh_token !== second.refresh_token, first: first.access_token, second: second.access_token, refused }))
