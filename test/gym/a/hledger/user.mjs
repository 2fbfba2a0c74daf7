export default {
  add: async (page) => {
    await page.getByText('Add a transaction').first().click();
    const form = page.locator('#addform');
    await form.locator('input[name=date]').fill('2024-07-05');
    await form.locator('input[name=description]').fill('Bookshop');
    await form.locator('input[name=account]').nth(0).fill('expenses:books');
    await form.locator('input[name=amount]').nth(0).fill('42.50');
    await form.locator('input[name=account]').nth(1).fill('assets:checking');
    await form.locator('input[name=amount]').nth(1).click();
    await form.locator('button[type=submit]').click();
  },
  find: async (page) => {
    await page.locator('#sidebar-menu').getByRole('link', { name: 'health' }).first().click();
    await page.waitForTimeout(600);
  },
  correct: async (page) => {
    await page.goto(new URL('/manage', page.url()).href);
    await page.getByRole('link', { name: 'edit' }).first().click();
    const text = page.locator('textarea').first();
    await text.fill((await text.inputValue()).replace('35.00', '53.00'));
    await page.getByRole('button', { name: 'Save' }).or(page.locator('input[type=submit]')).first().click();
  },
};
