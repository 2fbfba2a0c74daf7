// What the programs of this folder share: a browser, people who sign in, and lines of JSON that
// tell what is wrong.
import fs from 'node:fs'
import { createRequire } from 'node:module'

export const given = JSON.parse(fs.readFileSync(0, 'utf8'))
export const say = (line) => console.log(JSON.stringify(line))

const { chromium } = createRequire(given.driver + '/')(given.driver)
export const browser = await chromium.launch({ executablePath: given.chromium, args: process.getuid() === 0 ? ['--no-sandbox'] : [] })

// person is somebody with a browser of their own. Whatever a page throws or says in the
// console is wrong, but for requests that are lost while the network is.
export const person = async (who) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(given.limit)
  const wrong = (what, more) => say({ who, kind: new URL(page.url()).pathname, url: page.url(), wrong: what, more })
  page.on('pageerror', (e) => wrong('throws', String(e)))
  page.on('console', (m) => { if (m.type() === 'error' && !/ERR_INTERNET_DISCONNECTED|htmx:|WebSocket/.test(m.text())) wrong('says in the console', m.text()) })
  return { who, context, page, wrong }
}
