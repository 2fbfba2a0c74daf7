const login = async (page) => {
  await page.getByRole('link', { name: /^log ?in$/i }).first().click();
  const form = page.locator('#loginform, form[name=loginform]').last();
  await form.locator('input[name=login]').fill('robin');
  await form.locator('input[name=password]').fill('Lake-2024');
  await form.locator('input[type=submit]').click();
};
const row = (page, title) => page.locator('.linklist-item', { hasText: title });
export default {
  add: async (page) => {
    await login(page);
    await page.getByRole('link', { name: /shaare/i }).first().click();
    await page.locator('form[name=addform] input[name=post]').fill('https://example.org/tides');
    await page.locator('form[name=addform] input[type=submit]').first().click();
    await page.locator('input[name=lf_title]').fill('Tide tables');
    await page.locator('input[name=save_edit]').first().click();
  },
  delete: async (page) => {
    await login(page);
    await row(page, 'Cheap flights').locator('a[title="Delete"], a[aria-label="Delete"], .delete-link').first().click();
    await page.waitForTimeout(800);
  },
  title: async (page) => {
    await login(page);
    await page.getByRole('link', { name: /tools/i }).first().click();
    await page.getByRole('link', { name: /configure your shaarli/i }).first().click();
    await page.locator('input[name=title]').fill("Robin's finds");
    await page.locator('input[type=submit][name=save], form#configform input[type=submit]').first().click();
  },
  find: async (page) => {
    await row(page, 'Soup for a crowd').getByRole('link', { name: 'cooking' }).first().click();
  },
};
