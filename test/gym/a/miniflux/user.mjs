const login = async (page) => {
  await page.locator('#form-username').fill('petra');
  await page.locator('#form-password').fill('Paper-lantern-6');
  await page.locator('button[type=submit]').click();
  await page.getByRole('link', { name: 'Feeds' }).first().waitFor();
};
const menu = (page, name) => page.locator('nav, header').getByRole('link', { name }).first().click();
const feed = async (page, title) => {
  await menu(page, 'Feeds');
  await page.locator('article', { hasText: title }).getByRole('link', { name: /edit/i }).first().click();
};
export default {
  star: async (page) => {
    await login(page);
    await page.locator('article', { hasText: 'Why bread dough needs a night' }).getByText('Star', { exact: true }).first().click();
    await page.waitForTimeout(800);
  },
  category: async (page) => {
    await login(page);
    await menu(page, 'Categories');
    await page.getByRole('link', { name: /create.*category/i }).first().click();
    await page.locator('#form-title').fill('Cycling');
    await page.locator('main button[type=submit], form button[type=submit]').last().click();
  },
  move: async (page) => {
    await login(page);
    await feed(page, 'Harbour Town Gazette');
    await page.locator('#form-category').selectOption({ label: 'News' });
    await page.getByRole('button', { name: /update/i }).first().click();
  },
  unsubscribe: async (page) => {
    await login(page);
    await menu(page, 'Feeds');
    const one = page.locator('article', { hasText: 'Gadgets Daily' });
    await one.getByText('Remove', { exact: true }).first().click();
    await page.getByText(/^yes$/i).first().click();
    await page.waitForTimeout(1000);
  },
  theme: async (page) => {
    await login(page);
    await menu(page, 'Settings');
    await page.locator('select[name=theme]').selectOption({ label: 'Dark - Serif' });
    await page.getByRole('button', { name: /update/i }).first().click();
  },
};
