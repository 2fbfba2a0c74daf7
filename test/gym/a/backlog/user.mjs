const open = async (page, title) => { await page.getByText(title, { exact: true }).first().click(); await page.waitForTimeout(600); };
const saved = (page) => page.waitForTimeout(1200);
export default {
  move: async (page) => {
    await open(page, 'Book the movers');
    await page.getByRole('dialog').locator('select').first().selectOption('Done'); await saved(page);
  },
  create: async (page) => {
    await page.getByRole('button', { name: 'New Task' }).click();
    await page.getByPlaceholder('Enter task title').fill('Return the old keys');
    await page.getByRole('button', { name: 'Create', exact: true }).or(page.getByRole('button', { name: 'Save' })).first().click(); await saved(page);
  },
  rename: async (page) => {
    await open(page, 'Order new chairs');
    const title = page.getByRole('dialog').locator('input[value="Order new chairs"]');
    await title.fill('Order chairs and desks'); await page.keyboard.press('Tab'); await saved(page);
  },
  archive: async (page) => {
    await open(page, 'Water the plants');
    await page.getByRole('button', { name: 'Archive Task' }).click(); await saved(page);
    const sure = page.getByRole('button', { name: /^(archive|confirm|yes)/i }).last();
    if (await sure.isVisible().catch(() => false)) { await sure.click(); await saved(page); }
  },
  dark: async (page) => { await page.locator('button[aria-label*="mode" i], button[title*="mode" i], button[aria-label*="theme" i]').first().click(); },
};
