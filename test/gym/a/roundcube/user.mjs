const login = async (page) => {
  await page.locator('#rcmloginuser').fill('nora');
  await page.locator('#rcmloginpwd').fill('Harbour-31');
  await page.locator('#rcmloginsubmit').click();
  await page.locator('#messagelist tr.message').first().waitFor();
};
const select = async (page, subject) => { await page.locator('#messagelist tr.message', { hasText: subject }).click(); await page.waitForTimeout(800); };
const saved = (page) => page.waitForTimeout(1500);
export default {
  delete: async (page) => {
    await login(page); await select(page, 'Win a cruise');
    await page.locator('#toolbar-menu a.delete, #messagelist-header a.delete, a.delete:visible').first().click(); await saved(page);
  },
  move: async (page) => {
    await login(page); await select(page, 'Invoice for the bicycle');
    const row = page.locator('#messagelist tr.message', { hasText: 'Invoice for the bicycle' });
    await row.dragTo(page.locator('#mailboxlist').getByText('Bills')); await saved(page);
  },
  folder: async (page) => {
    await login(page);
    await page.locator('#taskmenu a.settings').click();
    await page.locator('#settings-menu').getByText('Folders').click();
    await page.locator('a.create:visible').first().click();
    const frame = page.frameLocator('#preferences-frame');
    await frame.locator('input[name=_name]').fill('Holidays');
    await frame.locator('button.submit, button.btn-primary').first().click(); await saved(page);
  },
  contact: async (page) => {
    await login(page);
    await page.locator('#taskmenu a.contacts').click();
    await page.locator('a.create:visible').first().click();
    const frame = page.frameLocator('iframe:visible');
    await frame.locator('input[name=_firstname]').fill('Jonas');
    await frame.locator('input[name=_surname]').fill('Weber');
    await frame.locator('input[name^=_email]').first().fill('jonas@example.org');
    await frame.locator('button.submit, button.btn-primary').first().click(); await saved(page);
  },
};
