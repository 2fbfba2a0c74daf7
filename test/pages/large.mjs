// Measures the page of one test while it runs: how soon it is answered and painted, what it
// weighs to who comes for the first time, how soon it shows the next session that ends, and
// what it takes in memory. Beside what all programs here are given: test, its id.
import { browser, given, person, say } from './people.mjs'

const { page, context } = await person('who watches')
await page.goto(given.base + '/sign-in')
await page.fill('#email', given.email)
await page.fill('#password', given.password)
await page.click('main button')
await page.waitForURL(given.base + '/tests')
const cdp = await context.newCDPSession(page), kinds = new Map()
let bytes = 0
cdp.on('Network.responseReceived', (e) => kinds.set(e.requestId, e.type))
cdp.on('Network.loadingFinished', (e) => { if (['Document', 'Script', 'Stylesheet'].includes(kinds.get(e.requestId))) bytes += e.encodedDataLength })
for (const [domain, method, options] of [['Network', 'enable'], ['Network', 'setCacheDisabled', { cacheDisabled: true }], ['Performance', 'enable']]) await cdp.send(`${domain}.${method}`, options)
for (let i = 0; i < 5; i++) {
  bytes = 0
  await page.goto(given.base + '/tests/' + given.test)
  const first = await page.evaluate(() => ({
    answered: Math.round(performance.getEntriesByType('navigation')[0].responseStart), painted: Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime),
  }))
  const kilobytes = Math.round(bytes / 102.4) / 10, walked = page.locator('label[for=walked]'), loaded = Date.now()
  const shown = await walked.count() ? await walked.innerText() : 'it has ended'
  const moved = await page.waitForFunction((s) => document.querySelector('label[for=walked]')?.innerText !== s, shown).then(() => Date.now() - loaded, () => null)
  await cdp.send('HeapProfiler.collectGarbage')
  const of = Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]))
  say({ ...first, kilobytes, shown, moved, heap: Math.round(of.JSHeapUsedSize / 104857.6) / 10, nodes: of.Nodes, listed: await page.locator('.walks > li').count() })
}
await browser.close()
