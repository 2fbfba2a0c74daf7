const at = '@linden-school.example';
const login = async (page) => {
  await page.locator('#fUsername').fill(`office${at}`);
  await page.locator('#fPassword').fill('Harbour-lamp-44');
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForTimeout(500);
};
const list = async (page) => {
  await login(page);
  await page.locator('a', { hasText: 'Overview' }).last().click();
  await page.getByRole('link', { name: 'linden-school.example' }).first().click();
  await page.waitForTimeout(500);
};
const row = (page, address) => page.locator('tr', { hasText: address + at }).last();
const save = async (page) => { await page.locator('[name=submit], [type=submit]').last().click(); await page.waitForTimeout(500); };
export default {
  mailbox: async (page) => {
    await login(page);
    await page.locator('a', { hasText: 'Add Mailbox' }).last().click();
    await page.locator('[name="value[local_part]"]').fill('dario');
    await page.locator('[name="value[password]"]').fill('Paper-boat-58');
    await page.locator('[name="value[password2]"]').fill('Paper-boat-58');
    await page.locator('[name="value[name]"]').fill('Dario Menk');
    await save(page);
  },
  redirect: async (page) => {
    await list(page);
    await row(page, 'info').getByRole('link', { name: /edit/i }).click();
    await page.locator('[name="value[goto]"]').fill(`carla${at}`);
    await save(page);
  },
  off: async (page) => {
    await list(page);
    await row(page, 'trainee').getByRole('link', { name: /edit/i }).last().click();
    await page.locator('[name="value[active]"][type=checkbox]').uncheck();
    await save(page);
  },
  delete: async (page) => {
    await list(page);
    await row(page, 'jubilee').locator('a, button', { hasText: /del/i }).last().click();
    await page.waitForTimeout(500);
  },
};
