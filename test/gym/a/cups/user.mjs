const printer = async (page, name) => {
  await page.getByRole('link', { name: /printers/i }).first().click();
  await page.locator('table.list').getByRole('link', { name }).first().click();
};
const choose = async (page, list, what) => {
  await page.locator('select[name=OP]').nth(list).selectOption({ label: what });
  await page.waitForTimeout(1500);
};
export default {
  default: async (page) => { await printer(page, 'Library'); await choose(page, 1, 'Set As Server Default'); },
  pause: async (page) => { await printer(page, 'Workshop'); await choose(page, 0, 'Pause Printer'); },
  cancel: async (page) => {
    await page.getByRole('link', { name: /^jobs/i }).first().click();
    await page.locator('tr', { hasText: 'Poster of the bake sale' }).getByRole('button', { name: 'Cancel Job' }).click();
    await page.waitForTimeout(1500);
  },
  paper: async (page) => {
    await printer(page, 'Reception');
    await choose(page, 1, 'Set Default Options');
    await page.locator('select[name=PageSize]').selectOption({ label: 'A5' });
    await page.getByRole('button', { name: 'Set Default Options' }).first().click();
    await page.waitForTimeout(2500);
  },
};
