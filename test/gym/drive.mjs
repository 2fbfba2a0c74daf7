// Two visitors of a ground: one who only looks at the first page, and a
// competent one who does the task as a script says.
//   node drive.mjs USER.mjs TASK URL PICTURE
import { pathToFileURL } from 'node:url';
import { existsSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { chromium } = await import(new URL('.cache/playwright/package/index.mjs', root));
const [user, task, url, picture] = process.argv.slice(2);
const act = (await import(pathToFileURL(user))).default[task];
if (!act) throw new Error(`nobody knows how to do ${task}`);

const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'];
const browser = await chromium.launch({ executablePath: programs.find(existsSync), args: ['--no-sandbox', '--disable-gpu'] });
const visit = async (act) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  page.on('dialog', (d) => d.accept().catch(() => {}));
  try {
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForTimeout(700);
    await act(page);
    await page.waitForTimeout(700);
  } finally {
    await page.screenshot({ path: picture }).catch(() => {});
    await context.close();
  }
};
try {
  await visit(() => {});
  await visit(act);
} finally {
  await browser.close();
}
