const menu = (page, name) => page.locator('.mainmenu').getByRole('link', { name, exact: true }).click();
export default {
  report: async (page) => {
    await menu(page, 'Tickets');
    await page.getByRole('link', { name: /new ticket/i }).first().click();
    await page.locator('input[name=title]').fill('Door of the hall does not lock');
    await page.locator('input[name=preview]').click();
    await page.locator('input[name=submit]').click();
  },
  reply: async (page) => {
    await page.getByRole('link', { name: 'Summer party' }).first().click();
    await page.locator('input[value=Reply]').first().click();
    await page.locator('textarea[name=content]').fill('I will bring a cake.');
    await page.locator('input[value=Preview]').click();
    await page.locator('input[value=Submit]').click();
  },
  close: async (page) => {
    await page.getByRole('link', { name: /all tickets/i }).first().click();
    await page.locator('tr', { hasText: 'Rope in lane 4' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Edit', exact: true }).first().click();
    await page.locator('select[name=status]').selectOption('Closed');
    await page.locator('input[name=preview]').click();
    await page.locator('input[name=submit]').click();
  },
  find: async (page) => { await page.getByRole('link', { name: 'House rules' }).first().click(); },
};
