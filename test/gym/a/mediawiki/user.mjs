const login = async (page) => {
  await page.getByRole('link', { name: 'Log in' }).first().click();
  await page.locator('#wpName1').fill('Hanna');
  await page.locator('#wpPassword1').fill('Rhubarb-crumble-8');
  await page.locator('#wpLoginAttempt').click();
  await page.getByRole('link', { name: 'Log out' }).first().waitFor({ state: 'attached' });
};
const open = (page, title) => page.locator('#mw-content-text').getByRole('link', { name: title }).first().click();
export default {
  correct: async (page) => {
    await login(page);
    await open(page, 'Water pump');
    await page.locator('#ca-edit a').click();
    const text = page.locator('#wpTextbox1');
    await text.fill((await text.inputValue()).replace('November', 'October'));
    await page.locator('#wpSave').click();
  },
  rename: async (page) => {
    await login(page);
    await open(page, 'Compost heep');
    await page.goto(await page.locator('#ca-move a').evaluate((a) => a.href));
    await page.locator('input[name=wpNewTitleMain]').fill('Compost heap');
    await page.locator('button[name=wpMove]').click();
  },
  create: async (page) => {
    await login(page);
    await page.locator('input[name=search]').first().fill('Summer party');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /^summer party$/i }).first().click();
    await page.locator('#wpTextbox1').fill('The party is on 12 July at the shed.');
    await page.locator('#wpSave').click();
  },
  who: async (page) => {
    await open(page, 'Rules');
    await page.locator('#ca-history a').click();
    await page.locator('#pagehistory li').first().waitFor();
    await page.waitForTimeout(800);
  },
};
