// Goes the main path with keys alone, and says where the focus cannot be seen, is lost or is
// trapped: signing in, a test that is watched, a session with its keys, the report, a
// comparison, the keys that "?" shows, an API key.
import { browser, given, person } from './people.mjs'

const { page, wrong } = await person('with keys')
const press = (key) => page.keyboard.press(key)

// focused is what has the focus: what it is called, and whether that can be seen.
const focused = () => page.evaluate(() => {
  const el = document.activeElement
  if (!el || el === document.body) return null
  const style = getComputedStyle(el), r = el.getBoundingClientRect()
  const x = Math.min(Math.max(r.left + r.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(r.top + r.height / 2, 0), innerHeight - 1)
  const over = document.elementFromPoint(x, y)
  const name = (el.getAttribute('aria-label') || [...(el.labels ?? [])].map((l) => l.innerText).join(' ') || el.innerText || el.value || el.tagName).trim().replace(/\s+/g, ' ')
  return {
    name, marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
    there: r.width > 0 && r.height > 0 && r.bottom > 0 && r.top < innerHeight && !!over && (el.contains(over) || over.contains(el) || [...(el.labels ?? [])].some((l) => l.contains(over))),
  }
})

// tab goes on to what is called so, and looks at everything on the way.
const tab = async (name, key = 'Tab') => {
  const met = []
  for (let i = 0; i < 150; i++) {
    await press(key)
    let at = await focused()
    if (!at) { if (met.length && met.at(-1) === null) { wrong('the focus is lost', met.slice(-4)); break } met.push(null); continue }
    met.push(at.name.slice(0, 40))
    for (const since = Date.now(); !at?.there && Date.now() - since < given.limit / 6; at = await focused()) ; // what was asked for meanwhile may move it
    if (at && !at.there) { // and move it away: who comes again sees it
      await press(key === 'Tab' ? 'Shift+Tab' : 'Tab')
      await press(key)
      at = await focused()
    }
    if (!at) { met.push(null); continue }
    if (!at.marked || !at.there) wrong(at.marked ? 'what has the focus cannot be seen' : 'the focus cannot be seen', at.name)
    if (at.name.startsWith(name)) return
  }
  throw new Error(`no ${name} comes among ${met.join(' | ')}`)
}
// comes waits for a page, and until it has been painted: a browser that goes back puts it
// where it was left only then, under whoever is at the keys already.
const comes = async (title) => {
  await page.waitForFunction((t) => document.title.startsWith(t) && document.readyState === 'complete', title).catch(() => { throw new Error(`it is ${page.url()}, not ${title}`) })
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))))
}
const types = (text) => page.keyboard.type(text)

try {
  await page.goto(given.base + '/sign-in')
  await tab('Mail address'); await types(given.email)
  await tab('Password'); await types(given.password)
  await press('Enter'); await comes('Tests')
  await tab('Live: go to sandbox'); await press('Enter')
  await page.getByRole('button', { name: 'Sandbox: go to live' }).waitFor()

  // A test, begun with keys and watched: the focus stays where it is while the page changes.
  await press('n'); await comes('New test')
  await tab('Address of the page'); await types('https://example.com/')
  await tab('Task'); await types(given.task)
  await tab('Simulated users'); await press('Control+a'); await types('3')
  await tab('Start the test'); await press('Enter'); await comes(given.task)
  await tab('By name')
  await page.waitForFunction(() => document.body.innerText.includes('Read the report'))
  const kept = await focused()
  if (!kept?.name.startsWith('By name')) wrong('the focus went while the test went on', kept)
  const test = page.url()
  await press('Escape') // out of the field, so that keys are keys again

  // What is focused within the part that changes keeps the focus.
  await tab('Read the report')
  await page.evaluate(() => new Promise((done) => {
    document.addEventListener('htmx:afterSettle', done, { once: true })
    htmx.trigger('#state', 'told')
  }))
  const same = await focused()
  if (!same?.name.startsWith('Read the report')) wrong('the focus is lost when the part that it is in is made anew', same)

  // The report, then back; a session and its steps.
  await press('Enter'); await comes('Report: ' + given.task)
  await page.goBack() // which is a key of the browser's own
  await comes(given.task)
  const persona = await page.locator('.walks a.who').first().innerText()
  await tab(persona); await press('Enter'); await comes(persona)
  for (const [key, step] of [['j', '#step-1'], ['j', '#step-2'], ['k', '#step-1']]) {
    await press(key)
    await page.waitForURL((to) => to.hash === step).catch(() => wrong(`${key} does not lead to ${step}`, page.url()))
  }
  await press('?')
  for (const told of ['Next step', 'These keys']) if (!(await page.locator('#keys').innerText()).includes(told)) wrong('"?" does not tell the keys', told)
  await press('Escape')

  // Another test of the task, against the first.
  await press('g'); await press('t'); await comes('Tests')
  await page.goto(test); await comes(given.task)
  await tab('Compare with'); await press('Enter'); await comes('New comparison')
  await tab('https://example.com/'); await press(' ')
  await tab('Compare'); await press('Enter'); await comes('Comparison: ' + given.task)
  const audit = page.getByRole('link', { name: 'Audit' }).first()
  await audit.focus()
  await page.locator('main:not([data-going])').waitFor() // until then it may be loaded again
  await page.waitForFunction(() => document.readyState === 'complete' && document.activeElement?.textContent.trim() === 'Audit').catch(() => wrong('the focus is lost when the comparison has ended'))
  await page.evaluate(() => document.activeElement.blur())

  // The keys, in a dialog that keeps the focus and gives it back.
  await tab('Audit')
  await press('?')
  for (const told of ['These keys', 'Tests', 'Audit']) if (!(await page.locator('#keys').innerText()).includes(told)) wrong('the keys are not told', told)
  for (let i = 0; i < 4; i++) {
    await press('Tab')
    if (!await page.evaluate(() => document.activeElement === document.body || !!document.activeElement.closest('#keys'))) wrong('the focus leaves the dialog')
  }
  await press('Escape')
  const before = await focused()
  if (!before?.name.startsWith('Audit')) wrong('the dialog does not give the focus back', before)

  // A key.
  await press('g'); await press('s'); await comes('Your organization')
  await tab('API keys'); await press('Enter'); await comes('API keys')
  await press('n'); await comes('New API key')
  await tab('Name'); await types('Of the keyboard')
  await tab('See tests'); await press(' ')
  await tab('Make the key'); await press('Enter'); await comes('Of the keyboard')
  await tab('Copy the key'); await press('Enter')
  if (!(await page.locator('main').innerText()).includes('shown only now')) wrong('the key is not shown')
  await tab('Sign out', 'Shift+Tab'); await press('Enter'); await comes('Sign in')
} catch (e) {
  wrong('cannot go on', String(e).slice(0, 800))
}
await browser.close()
