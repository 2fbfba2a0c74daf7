const login = async (page) => {
  await page.locator('#loginscene input[type=text], #loginscene input[name=user]').first().fill('alex');
  await page.locator('#loginscene input[type=password]').fill('Sunrise-5');
  await page.locator('#loginscene button, #loginscene input[type=submit]').first().click();
  await page.waitForTimeout(800);
};
const article = (page, title) => page.locator('#collectionsscene article:visible', { hasText: title });
const fill = async (page, id, title, button) => {
  const scene = page.locator(id);
  await scene.locator('input:visible').first().fill(title);
  await scene.getByRole('button', { name: button }).first().click();
  await page.waitForTimeout(800);
};
export default {
  create: async (page) => {
    await login(page);
    await page.locator('#collectionsscene').getByText('Create new addressbook or calendar').first().click();
    await fill(page, '#createcollectionscene', 'Choir', 'Create');
  },
  rename: async (page) => {
    await login(page);
    await article(page, 'Work').getByText('Edit').click();
    await fill(page, '#editcollectionscene', 'Office', /save/i);
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
