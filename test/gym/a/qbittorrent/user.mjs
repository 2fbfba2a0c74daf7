const row = (page, name) => page.locator('#torrentsTableDiv tr', { hasText: name }).first();
const options = async (page, tab) => {
  await page.locator('#preferencesButton').click();
  await page.waitForTimeout(1000);
  await page.locator('#preferencesPage').waitFor();
  await page.locator('#preferencesTabs').getByText(tab, { exact: true }).click();
  await page.waitForTimeout(300);
};
const save = async (page) => {
  await page.locator('#preferencesPage input[type=button][value=Save], #preferencesPage_content input[value=Save]').first().click();
  await page.waitForTimeout(1000);
};
export default {
  pause: async (page) => {
    await row(page, 'Lectures on geology').click();
    await page.locator('#pauseButton').click();
    await page.waitForTimeout(1000);
  },
  delete: async (page) => {
    await row(page, 'Screensavers 1998').click();
    await page.locator('#deleteButton').click();
    await page.waitForTimeout(1000);
    await page.frameLocator('#confirmDeletionPage_iframe').locator('#confirmBtn').click();
    await page.waitForTimeout(1000);
  },
  limit: async (page) => {
    await options(page, 'Speed');
    await page.locator('#dl_limit_value').fill('750');
    await save(page);
  },
  start: async (page) => {
    await options(page, 'Downloads');
    await page.locator('#dontstartdownloads_checkbox').check();
    await save(page);
  },
};
