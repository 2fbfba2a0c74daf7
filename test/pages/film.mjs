// On the page of a session that has ended the film and the steps go together, and the steps
// without trouble can be left out. Beside what all programs here are given: sessions, the ids
// of some, of which one at least has steps with and without trouble.
import { browser, given, person } from './people.mjs'

const { page, wrong } = await person('who looks back')
try {
  await page.goto(given.base + '/sign-in')
  await page.fill('#email', given.email)
  await page.fill('#password', given.password)
  await page.click('main button')
  await page.waitForURL(given.base + '/tests')
  const only = page.locator('#only'), steps = page.locator('.step'), film = page.locator('video')
  for (const id of given.sessions) {
    await page.goto(`${given.base}/sessions/${id}`)
    if (await only.count()) break
  }
  if (!await only.count()) throw new Error('no session has steps with and steps without trouble')

  // A step is marked, here and on the timeline, when the film comes to it.
  const at = await steps.evaluateAll((all) => all.map((step) => Number(step.dataset.at)))
  const later = at.indexOf(at.at(-1)), marked = (i) => page.waitForFunction((i) => {
    const now = [...document.querySelectorAll('.step.now')], step = document.querySelectorAll('.step')[i]
    return now.length === 1 && now[0] === step && document.querySelector('.timeline .now')?.dataset.step === step.id.slice('step-'.length)
  }, i)
  if (later === 0) wrong('all steps are at one time of the film', at)
  await film.evaluate((video, time) => { video.preload = 'auto'; video.currentTime = time }, at[later] + 0.01)
  await marked(later).catch(() => wrong('the film marks another step', at))

  // A click on a step leads the film there.
  await steps.nth(0).locator('.act').click()
  await marked(0).catch(() => wrong('a click on a step does not mark it'))
  await page.waitForFunction((time) => Math.abs(document.querySelector('video').currentTime - time) < 0.2, at[0]).catch(() => wrong('a click on a step does not lead the film there', at))

  const shown = () => steps.evaluateAll((all) => all.filter((step) => step.offsetParent).map((step) => step.id).join())
  const all = await shown(), trouble = await page.locator('.step.trouble').evaluateAll((some) => some.map((step) => step.id).join())
  await only.check()
  if (trouble === '' || trouble === all || await shown() !== trouble) wrong('others than the steps with trouble are shown', [await shown(), trouble])
  await only.uncheck()
  if (await shown() !== all) wrong('the steps without trouble do not come back', [await shown(), all])
} catch (e) {
  wrong('cannot go on', String(e).slice(0, 500))
}
await browser.close()
