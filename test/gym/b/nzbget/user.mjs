const open = async (page, name) => {
  await page.locator('#DownloadsTable').getByText(name, { exact: true }).click();
  await page.locator('#DownloadsEditDialog').waitFor();
  await page.waitForTimeout(700);
};
const save = async (page) => { await page.locator('#DownloadsEdit_Save').click(); await page.waitForTimeout(1500); };
export default {
  rename: async (page) => {
    await open(page, 'Gardn films');
    await page.locator('#DownloadsEdit_NZBName').fill('Garden films');
    await save(page);
  },
  category: async (page) => {
    await open(page, 'Piano evenings');
    await page.locator('#DownloadsEdit_Category').selectOption('Music');
    await save(page);
  },
  delete: async (page) => {
    await page.locator('#DownloadsTable tr', { hasText: 'Wallpapers' }).locator('.check').click();
    await page.locator('#DownloadsToolbar').getByText('Delete').locator('visible=true').first().click();
    await page.waitForTimeout(700);
    await page.locator('.modal:visible .btn-danger, .modal:visible .btn-primary').last().click();
    await page.waitForTimeout(1500);
  },
  speed: async (page) => {
    await page.locator('#StatusSpeed').click();
    await page.waitForTimeout(700);
    await page.locator('#LimitDialog_SpeedInput').fill('500');
    await page.locator('#LimitDialog_Save').click();
    await page.waitForTimeout(1500);
  },
};
