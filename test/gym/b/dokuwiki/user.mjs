const login = async (page) => {
  await page.getByRole('link', { name: /log in/i }).first().click();
  const form = page.locator('#dw__login');
  await form.locator('input[name=u]').fill('tilda');
  await form.locator('input[name=p]').fill('Screwdriver-31');
  await form.locator('button[type=submit]').click();
  await page.waitForTimeout(500);
};
const edit = async (page, change) => {
  const text = page.locator('#wiki__text');
  await text.fill(change(await text.inputValue()));
  await page.locator('#edbtn__save').click();
  await page.waitForTimeout(500);
};
export default {
  correct: async (page) => {
    await login(page);
    await page.getByRole('link', { name: 'Opening hours' }).first().click();
    await page.locator('#dokuwiki__pagetools a.edit, #dokuwiki__pagetools .edit a').first().click();
    await edit(page, (t) => t.replace('9:30', '10:15'));
  },
  write: async (page) => {
    await login(page);
    await page.getByRole('link', { name: 'Spring flea market' }).first().click();
    await page.locator('#dokuwiki__pagetools a.edit, #dokuwiki__pagetools .create a, #dokuwiki__pagetools a[href*="do=edit"]').first().click();
    await edit(page, () => 'The market is on 9 May in the school yard.');
  },
  profile: async (page) => {
    await login(page);
    await page.getByRole('link', { name: /update profile/i }).first().click();
    const form = page.locator('#dw__register');
    await form.locator('input[name=email]').fill('tilda@example.net');
    await form.locator('input[name=oldpass]').fill('Screwdriver-31');
    await form.locator('button[type=submit]').first().click();
  },
  find: async (page) => {
    await page.getByRole('link', { name: 'Our rooms' }).first().click();
    await page.getByRole('link', { name: 'cellar' }).first().click();
  },
};
