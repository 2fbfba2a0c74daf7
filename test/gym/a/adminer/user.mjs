const login = async (page) => {
  await page.locator('input[name="auth[username]"]').fill('purser');
  await page.locator('input[name="auth[password]"]').fill('Oarlock-44');
  await page.locator('input[type=submit]').first().click();
  await page.locator('#tables a').first().waitFor();
};
const table = async (page, name) => { await page.locator('#tables').getByRole('link', { name }).first().click(); await page.locator('table#table').waitFor(); };
const edit = (page, name) => page.locator('tr', { hasText: name }).getByRole('link', { name: 'edit' }).click();
const save = (page) => page.locator('input[type=submit][value=Save]').click();
export default {
  add: async (page) => {
    await login(page); await table(page, 'Members');
    await page.getByRole('link', { name: 'New item' }).click();
    await page.locator('[name="fields[name]"]').fill('Ruben Hale');
    await page.locator('[name="fields[town]"]').fill('Poole');
    await save(page);
  },
  change: async (page) => {
    await login(page); await table(page, 'Members'); await edit(page, 'Moira Keane');
    await page.locator('[name="fields[phone]"]').fill('01202 555 0199');
    await save(page);
  },
  delete: async (page) => {
    await login(page); await table(page, 'Boats'); await edit(page, 'Old Nellie');
    await page.locator('input[type=submit][value=Delete]').click();
    await page.waitForTimeout(800);
  },
  find: async (page) => { await login(page); await table(page, 'Boats'); },
};
