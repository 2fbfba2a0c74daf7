const login = async (page) => {
  await page.locator('#loginscene input[type=text], #loginscene input[name=user]').first().fill('alex');
  await page.locator('#loginscene input[type=password]').fill('Sunrise-5');
  await page.locator('#loginscene button, #loginscene input[type=submit]').first().click();
  await page.waitForTimeout(800);
};
const article = (page, title) => page.locator('#collectionsscene article:visible', { hasText: title });
export default {
  create: async (page) => {
    await login(page);
    await page.locator('#collectionsscene').getByText('Create new addressbook or calendar').first().click();
    const scene = page.locator('#createcollectionscene');
    await scene.locator('input[name=displayname]').fill('Choir');
    await scene.locator('select[name=type]').selectOption('CALENDAR');
    await scene.locator('button[name=submit]').click();
    await page.waitForTimeout(800);
  },
  rename: async (page) => {
    await login(page);
    await article(page, 'Work').getByText('Edit').click();
    const scene = page.locator('#editcollectionscene');
    await scene.locator('input[name=displayname]').fill('Office');
    await scene.locator('button[name=submit]').click();
    await page.waitForTimeout(800);
  },
  delete: async (page) => {
    await login(page);
    await article(page, 'Old clients').getByText('Delete').click();
    const scene = page.locator('#deletecollectionscene');
    const confirm = scene.locator('input[type=text]:visible');
    if (await confirm.count()) await confirm.first().fill('DELETE');
    await scene.locator('button[name=delete], button').first().click();
    await page.waitForTimeout(800);
  },
};
