// Goes through all pages that somebody comes to by links, as each of several people, and says
// what is wrong with them, a line of JSON each: answers other than 200, errors in the console,
// rules of axe-core's, what is wider than its window. As the first of them it does so on a desk and
// a phone, in light and in dark, with figures of each page, and with pictures where there is a
// folder for them.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'

const { base, driver, chromium: executablePath, axe: axePath, people, shots } = JSON.parse(fs.readFileSync(0, 'utf8'))
const { chromium } = createRequire(driver + '/')(driver)
const axe = fs.readFileSync(axePath, 'utf8')
const say = (line) => console.log(JSON.stringify(line))

const desk = { width: 1280, height: 900 }, phone = { width: 390, height: 844 }
const variants = [
  { name: 'desk', viewport: desk, colorScheme: 'light' }, { name: 'desk-dark', viewport: desk, colorScheme: 'dark' },
  { name: 'phone', viewport: phone, colorScheme: 'light', isMobile: true, hasTouch: true }, { name: 'phone-dark', viewport: phone, colorScheme: 'dark', isMobile: true, hasTouch: true },
]
// A page stands for all that differ from it in ids and queries.
const kindOf = (url) => new URL(url).pathname.replace(/\/[a-z]+_[0-9a-z]{20,}/g, '/{id}').replace(/^\/(docs|packs)\/[^/]+/, '/$1/{name}')
const isPage = (url) => url.origin === new URL(base).origin && !/^\/(v1|assets|oauth|healthz|readyz|metrics)\b|\/file$/.test(url.pathname)

const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ['--no-sandbox'] : [] })

const signedIn = async (person, variant) => {
  const { name, ...options } = variant
  const context = await browser.newContext(options)
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
    if (new URL(page.url()).pathname === '/sign-in') say({ who: person.name, kind: '/sign-in', wrong: 'could not sign in' })
  }
  return { context, page }
}

const settled = async (page) => {
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {}) // a page may follow a stream
}

// look opens a page and says what is wrong with it. It returns the page's links.
const look = async (page, who, variant, url, whole) => {
  const kind = kindOf(url), wrong = (what, more) => say({ who, variant: variant.name, kind, url, wrong: what, more })
  const told = []
  const hear = (m) => { if (m.type() === 'error') told.push(m.text()) }, fail = (e) => told.push(String(e))
  page.on('console', hear).on('pageerror', fail)
  const weights = []
  const weigh = (r) => {
    if (['document', 'script', 'stylesheet', 'fetch', 'xhr'].includes(r.request().resourceType())) weights.push(r.request().sizes().then((s) => s.responseBodySize, () => 0))
  }
  page.on('response', weigh)
  try {
    const answer = await page.goto(url, { waitUntil: 'load' })
    await settled(page)
    if (answer && answer.status() !== 200) wrong('answers ' + answer.status())
    if (whole) {
      await page.evaluate(axe)
      for (const v of (await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }))).violations) wrong('axe: ' + v.id, v.nodes.slice(0, 3).map((n) => n.target.join(' ')))
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (wide > 0) wrong('is wider than its window', wide)
      say({
        who, variant: variant.name, kind, weight: (await Promise.all(weights)).reduce((a, b) => a + b, 0),
        paint: await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0), shift: await page.evaluate(() => globalThis.shifted),
      })
      if (shots) await page.screenshot({ path: path.join(shots, (kind.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'start') + '.' + variant.name + '.png'), fullPage: true })
    }
    if (told.length) wrong('says in the console', told.slice(0, 3))
    return await page.evaluate(() => [...document.querySelectorAll('a[href]')].filter((a) => !a.hasAttribute('download')).map((a) => new URL(a.getAttribute('href'), document.baseURI).href))
  } catch (e) {
    wrong('cannot be looked at', String(e).slice(0, 300))
    return []
  } finally {
    page.off('console', hear).off('pageerror', fail).off('response', weigh)
  }
}

for (const [i, person] of people.entries()) {
  const { context, page } = await signedIn(person, variants[0])
  const found = new Map(), waiting = [base + '/', ...person.starts.map((p) => base + p)]
  while (waiting.length) {
    const url = waiting.shift(), kind = kindOf(url)
    if (found.has(kind)) continue
    found.set(kind, url)
    for (const href of await look(page, person.name, variants[0], url, i < 2)) {
      const to = new URL(href)
      to.hash = ''
      if (isPage(to) && !found.has(kindOf(to))) waiting.push(to.href)
    }
  }
  await context.close()
  say({ who: person.name, kinds: [...found.keys()].sort() })
  for (const variant of i < 2 ? variants.slice(1) : []) {
    const other = await signedIn(person, variant)
    for (const url of found.values()) await look(other.page, person.name, variant, url, true)
    await other.context.close()
  }
}
await browser.close()
