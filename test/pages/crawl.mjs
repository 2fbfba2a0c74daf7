// Goes through all pages that somebody comes to by links, as each of several people, and says
// what is wrong with them, a line of JSON each: answers other than 200, errors in the console,
// rules of axe-core's, what is wider than its window. As the first two of them it does so on a
// desk and a phone, in light and in dark, with figures of each page, and with pictures where
// there is a folder for them; as others whose pages are to be audited on a desk in light. All rules of axe-core's are asked once a page: in the other colours
// then that of contrast, on the other screen those of the layout.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'

const { base, driver, chromium: executablePath, axe: axePath, people, shots, limit } = JSON.parse(fs.readFileSync(0, 'utf8'))
const { chromium } = createRequire(driver + '/')(driver)
const axe = fs.readFileSync(axePath, 'utf8')
const say = (line) => console.log(JSON.stringify(line))

const screens = [
  { name: 'desk', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true, hasTouch: true },
]
const every = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }
const only = (...rules) => ({ resultTypes: ['violations'], runOnly: { type: 'rule', values: rules } })
const rules = { desk: every, phone: only('target-size', 'scrollable-region-focusable') }
// A page stands for all that differ from it in ids and queries.
const kindOf = (url) => new URL(url).pathname.replace(/^\/history\/([a-z]+)_[0-9a-z]{20,}/, '/history/{$1}').replace(/\/[a-z]+_[0-9a-z]{20,}/g, '/{id}').replace(/^\/(docs|packs)\/[^/]+/, '/$1/{name}')
const isPage = (url) => url.origin === new URL(base).origin && !/^\/(v1|assets|oauth|healthz|readyz|metrics)\b|\/file$/.test(url.pathname)

const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ['--no-sandbox'] : [] })

const signedIn = async (person, screen) => {
  const { name, ...options } = screen
  const context = await browser.newContext(options)
  context.setDefaultTimeout(limit)
  await context.addInitScript(() => {
    globalThis.shifted = 0
    new PerformanceObserver((list) => { for (const s of list.getEntries()) if (!s.hadRecentInput) globalThis.shifted += s.value }).observe({ type: 'layout-shift', buffered: true })
  })
  const page = await context.newPage()
  if (person.email) {
    await page.goto(base + '/sign-in')
    await page.fill('#email', person.email)
    await page.fill('#password', person.password)
    await page.click('main button')
    await page.waitForURL((url) => url.pathname !== '/sign-in').catch(() => say({ who: person.name, kind: '/sign-in', wrong: 'could not sign in' }))
  }
  return { context, page, weigh: await scales(context, page) }
}

// scales tell how many bytes came since they were asked last, headers too but no pictures, to
// a browser that has nothing of before.
const scales = async (context, page) => {
  const cdp = await context.newCDPSession(page), kinds = new Map()
  let bytes = 0
  cdp.on('Network.responseReceived', (e) => kinds.set(e.requestId, e.type))
  cdp.on('Network.loadingFinished', (e) => { if (['Document', 'Script', 'Stylesheet', 'Fetch', 'XHR'].includes(kinds.get(e.requestId))) bytes += e.encodedDataLength })
  await cdp.send('Network.enable')
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  return () => { const all = bytes; bytes = 0; kinds.clear(); return all }
}

// painted: what was asked for at loading is on the screen. What follows a stream asks once more.
const painted = async (page) => {
  if (await page.locator('[data-stream]').count()) await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {})
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))))
}

// look opens a page and says what is wrong with it. It returns the page's links.
const look = async ({ page, weigh }, person, screen, url, whole) => {
  const kind = kindOf(url), who = person.name
  let variant = screen.name
  const wrong = (what, more) => say({ who, variant, kind, url, wrong: what, more })
  const told = []
  const hear = (m) => { if (m.type() === 'error') told.push(m.text()) }, fail = (e) => told.push(String(e))
  page.on('console', hear).on('pageerror', fail)
  const obeys = async (options) => {
    for (const v of (await page.evaluate((o) => globalThis.axe.run(o), options)).violations) wrong('axe: ' + v.id, v.nodes.slice(0, 3).map((n) => n.target.join(' ')))
  }
  const picture = async () => {
    if (shots) await page.screenshot({ path: path.join(shots, (kind.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'start') + '.' + variant + '.png'), fullPage: true })
  }
  try {
    if (whole) await page.goto('about:blank') // what the page before still gets is not this one's
    weigh()
    const answer = await page.goto(url, { waitUntil: 'load' })
    if (answer && answer.status() !== 200) wrong('answers ' + answer.status())
    if (whole) {
      await painted(page)
      say({
        who, variant, kind, measured: true, weight: weigh(),
        paint: await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0), shift: await page.evaluate(() => globalThis.shifted),
      })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (wide > 0) wrong('is wider than its window', wide)
      await page.evaluate(axe)
      await obeys(rules[screen.name])
      await picture()
      variant = screen.name + '-dark'
      await page.emulateMedia({ colorScheme: 'dark' })
      if (screen.name === 'desk') await obeys(only('color-contrast'))
      await picture()
      await page.emulateMedia({ colorScheme: 'light' })
      variant = screen.name
    } else if (person.audited) {
      await painted(page)
      await page.evaluate(axe)
      await obeys(every)
    }
    if (told.length) wrong('says in the console', told.slice(0, 3))
    return await page.evaluate(() => [...document.querySelectorAll('a[href]')].filter((a) => !a.hasAttribute('download')).map((a) => new URL(a.getAttribute('href'), document.baseURI).href))
  } catch (e) {
    wrong('cannot be looked at', String(e).slice(0, 300))
    return []
  } finally {
    page.off('console', hear).off('pageerror', fail)
  }
}

// lost is where there is nothing: it says so, and whoever is signed in is not left without a way on.
const lost = async ({ page }, { name: who }, url) => {
  const wrong = (what, more) => say({ who, variant: 'desk', kind: 'nowhere', url, wrong: what, more })
  const answer = await page.goto(url, { waitUntil: 'load' })
  if (answer?.status() !== 404) wrong('answers ' + answer?.status())
  if (!await page.locator('nav[aria-label="Main"] a').count()) wrong('leads nowhere')
  await page.evaluate(axe)
  for (const v of (await page.evaluate((o) => globalThis.axe.run(o), every)).violations) wrong('axe: ' + v.id, v.nodes.slice(0, 3).map((n) => n.target.join(' ')))
  if (shots) await page.screenshot({ path: path.join(shots, 'nowhere-' + new URL(url).pathname.split('/')[1] + '.desk.png'), fullPage: true })
}

// comes goes wherever links lead, and for who is looked at wholly once more with a phone.
const comes = async (person, whole) => {
  const [desk, phone] = screens
  const first = await signedIn(person, desk)
  const found = new Map(), waiting = [base + '/', ...person.starts.map((p) => base + p)]
  while (waiting.length) {
    const url = waiting.shift(), kind = kindOf(url)
    if (found.has(kind)) continue
    found.set(kind, url)
    for (const href of await look(first, person, desk, url, whole)) {
      const to = new URL(href)
      to.hash = ''
      if (isPage(to) && !found.has(kindOf(to))) waiting.push(to.href)
    }
  }
  for (const path of person.nowhere ?? []) await lost(first, person, base + path)
  await first.context.close()
  say({ who: person.name, kinds: [...found.keys()].sort() })
  if (!whole) return
  const second = await signedIn(person, phone)
  for (const url of found.values()) await look(second, person, phone, url, true)
  await second.context.close()
}

// The first two are looked at wholly and with figures, by themselves; the others at once.
for (const person of people.slice(0, 2)) await comes(person, true)
await Promise.all(people.slice(2).map((person) => comes(person, false)))
await browser.close()
