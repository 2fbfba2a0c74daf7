// Two people, one of whom watches the other's test; and connections that are lost, ways back
// and loading again on every page that is live or has a form: nothing that is shown or was
// typed may be lost, the page says that the service cannot be reached, and goes on by itself.
import { browser, given, person } from './people.mjs'

const notice = (page) => page.locator('#offline')
const signIn = async ({ page }) => {
  await page.goto(given.base + '/sign-in')
  await page.fill('#email', given.email)
  await page.fill('#password', given.password)
  await page.click('main button')
  await page.waitForURL(given.base + '/tests')
  await page.click('text=Live: go to sandbox')
  await page.locator('text=Sandbox: go to live').waitFor()
}
const says = (page, text) => page.waitForFunction((t) => document.body.innerText.includes(t), text, { timeout: 4 * given.limit }) // 500 sessions take a while
const mark = (page) => page.evaluate(() => { globalThis.same = true })
const isSame = (page) => page.evaluate(() => globalThis.same === true)

// away loses the connection while something is done, and sees it told and over.
const away = async ({ context, page, wrong }, during = async () => {}) => {
  await context.setOffline(true)
  await during()
  await notice(page).waitFor({ state: 'visible' }).catch(() => wrong('does not say that the service cannot be reached'))
  await context.setOffline(false)
  await notice(page).waitFor({ state: 'hidden' }).catch(() => wrong('goes on saying that the service cannot be reached'))
}

// typed is what stands in the form of a page that can be filled in with words.
const words = 'textarea, input:is([type=text], [type=search], [type=url], [type=email], :not([type]))'
const typed = (page) => page.evaluate((words) => [...document.querySelectorAll('form[method=post]')].flatMap((f) => [...f.querySelectorAll(words)].map((el) => el.value)), words)

const starts = async ({ page }, url, sessions) => {
  await page.goto(given.base + '/tests/new')
  await page.fill('#url', url)
  await page.fill('#task', 'slow')
  await page.fill('#sessions', String(sessions))
  await page.click('.start button')
  await page.waitForURL(/\/tests\/test_/)
}
const watched = async (one, other) => {
  // One begins a test by the form, the other sees it come.
  await other.page.goto(given.base + '/tests')
  await mark(other.page)
  await starts(one, 'https://example.com/listed', 1)
  await says(other.page, 'https://example.com/listed').catch(() => other.wrong('the other’s test does not come'))
  if (!await isSame(other.page)) other.wrong('the list was loaded again')

  // The other watches one go on and sees it end; in between the connection is lost, and
  // neither page is loaded again.
  await starts(one, 'https://example.com/watched', 500)
  await mark(one.page)
  await other.page.goto(one.page.url())
  await mark(other.page)
  await says(other.page, 'of 500 sessions')
  const before = await other.page.locator('.walks a.who').allInnerTexts()
  await away(other, async () => {
    const during = await other.page.locator('.walks a.who').allInnerTexts()
    if (before.length === 0 || during.join() !== before.join()) other.wrong('what was shown is lost with the connection', [before, during])
  })
  for (const who of [one, other]) {
    await says(who.page, 'Read the report').catch(() => who.wrong('the end of the test does not come'))
    if (!await isSame(who.page)) who.wrong('the page was loaded again')
  }
  await other.page.reload()
  await says(other.page, 'Read the report')
}

// comes: of a session that is still to walk the steps come by themselves, and its end.
const comes = async (who) => {
  await starts(who, 'https://example.com/walked', 2000)
  const test = who.page.url()
  let going = 0
  for (let tries = 0; tries < 10 && !going; tries++) { // it is to be looked at before its turn comes
    await who.page.goto(test)
    await who.page.locator('nav.chips a', { hasText: 'waiting' }).click()
    await who.page.getByRole('link', { name: 'Next sessions' }).click()
    await who.page.locator('.walks a.who').last().click()
    await who.page.waitForURL('**/sessions/**')
    going = await who.page.locator('main[data-going]').count()
  }
  if (!going) who.wrong('each of ten sessions had ended before it was looked at')
  await who.page.route(who.page.url(), async (route) => { // as if it had begun
    const answer = await route.fetch()
    const text = (await answer.text()).replace(/<p id="diary" data-renew>.*?<\/p>/s, '<ol class="diary" id="diary" data-renew="more"><li class="step" id="step-1">Begun</li></ol>')
    await route.fulfill({ response: answer, body: text })
  })
  await who.page.locator('#step-1').waitFor().catch(() => who.wrong('a step does not come by itself'))
  await who.page.unroute(who.page.url())
  await who.page.locator('main:not([data-going])').waitFor({ timeout: 4 * given.limit }).catch(() => who.wrong('the end of the session does not come'))
}

const live = async (who, at) => {
  await who.page.goto(given.base + at)
  const shown = await who.page.locator('main').innerText()
  await away(who, async () => {
    if (await who.page.locator('main').innerText() !== shown) who.wrong('what was shown is lost with the connection')
  })
}

const form = async (who, at) => {
  const { page, wrong } = who
  await page.goto(given.base + at)
  await page.evaluate(() => { for (const folded of document.querySelectorAll('details')) folded.open = true })
  let n = 0
  for (const field of await page.locator('form[method=post]').locator(words).all()) {
    const kind = await field.getAttribute('type')
    await field.fill(kind === 'email' ? `mine${++n}@example.com` : kind === 'url' ? `https://example.com/mine${++n}` : `mine${++n}`)
  }
  const mine = await typed(page)
  if (n === 0) return wrong('nothing can be typed here')
  await away(who, async () => {
    const number = await page.locator('form[method=post]').evaluateAll((all, words) => all.findIndex((f) => f.querySelector(words) && f.closest('main')), words)
    await page.locator('form[method=post]').nth(number).evaluate((f) => { f.noValidate = true; f.requestSubmit() })
    if (!page.url().startsWith(given.base) || (await typed(page)).join() !== mine.join()) wrong('what was typed is lost with the connection', page.url())
  })
  await page.reload()
  if ((await typed(page)).join() !== mine.join()) wrong('what was typed is lost at loading again', [mine, await typed(page)])
  await page.click('header a[href="/docs"]')
  await page.waitForURL('**/docs')
  await page.goBack()
  await page.waitForLoadState()
  if ((await typed(page)).join() !== mine.join()) wrong('what was typed is lost on the way back', [mine, await typed(page)])
  await page.goto(given.base + at)
  if ((await typed(page)).some((value) => value.includes('mine'))) wrong('what was typed comes where it is not wanted')
}

const one = await person('who begins'), other = await person('who watches')
for (const [who, what, ...of] of [
  [one, signIn, one], [other, signIn, other], [one, watched, one, other], [one, comes, one],
  ...given.live.map((at) => [other, live, other, at]), ...given.forms.map((at) => [one, form, one, at]),
]) {
  try { await what(...of) } catch (e) { who.wrong(`cannot go on with ${what.name} ${of.at(-1)}`, String(e).slice(0, 500)) }
}
await browser.close()
