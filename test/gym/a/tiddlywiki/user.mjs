const open = async (page, title) => {
  await page.locator('.tc-sidebar-lists').getByText('Recent', { exact: true }).click();
  await page.locator('.tc-sidebar-lists').getByRole('link', { name: title }).click();
  return page.locator(`[data-tiddler-title="${title}"]`);
};
// The notebook saves to its server a moment later.
const saved = (page) => page.waitForTimeout(3500);

export default {
  create: async (page) => {
    await page.locator('button[aria-label*="new tiddler" i]').first().click();
    await page.locator('input.tc-titlebar').fill('Packing list');
    await page.locator('iframe').first().contentFrame().locator('textarea').fill('Tent, stove and rope');
    await page.locator('.tc-btn-\\%24\\%3A\\%2Fcore\\%2Fui\\%2FButtons\\%2Fsave').click();
    await saved(page);
  },
  delete: async (page) => {
    const note = await open(page, 'Winter tyres');
    await note.locator('button[aria-label="more"]').first().click();
    await page.locator('.tc-drop-down').getByText('delete', { exact: false }).first().click();
    await saved(page);
  },
  find: async (page) => { await open(page, 'Mountain hut'); await page.waitForTimeout(500); },
  change: async (page) => {
    const note = await open(page, 'Train times');
    await note.locator('.tc-btn-\\%24\\%3A\\%2Fcore\\%2Fui\\%2FButtons\\%2Fedit').first().click();
    const text = page.locator('iframe').first().contentFrame().locator('textarea');
    await text.fill((await text.inputValue()).replace('7:12', '7:40'));
    await page.locator('.tc-btn-\\%24\\%3A\\%2Fcore\\%2Fui\\%2FButtons\\%2Fsave').click();
    await saved(page);
  },
};
