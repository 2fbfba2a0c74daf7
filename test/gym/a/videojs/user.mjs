const play = async (page) => { await page.locator('.vjs-big-play-button').click(); await page.waitForTimeout(1500); };
const menu = async (page, button, item) => {
  await page.locator('.video-js').hover();
  await page.locator(`${button} > button`).first().click();
  await page.locator(`${button} .vjs-menu-item`, { hasText: item }).first().click();
  await page.waitForTimeout(800);
};
export default {
  play,
  captions: async (page) => { await play(page); await menu(page, '.vjs-subs-caps-button', 'Swedish'); },
  mute: async (page) => { await play(page); await page.locator('.video-js').hover(); await page.locator('.vjs-mute-control').click(); await page.waitForTimeout(500); },
  chapter: async (page) => { await play(page); await menu(page, '.vjs-chapters-button', 'Typewriter'); },
};
