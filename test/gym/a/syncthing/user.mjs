const open = async (page, label) => { await page.locator('#folders .panel-heading', { hasText: label }).click(); await page.waitForTimeout(500); };
const button = (page, name) => page.locator('#folders .panel').getByRole('button', { name }).locator('visible=true').first();
const saved = (page) => page.waitForTimeout(1200);
export default {
  rename: async (page) => {
    await open(page, 'Photos'); await button(page, 'Edit').click();
    await page.locator('#folderLabel').fill('Family photos');
    await page.locator('#editFolder').getByRole('button', { name: 'Save' }).click(); await saved(page);
  },
  pause: async (page) => { await open(page, 'Music'); await button(page, 'Pause').click(); await saved(page); },
  remove: async (page) => {
    await open(page, 'Old scans'); await button(page, 'Edit').click();
    await page.locator('#editFolder').getByRole('button', { name: 'Remove' }).click();
    await page.locator('#remove-folder-confirmation').getByRole('button', { name: 'Yes' }).click(); await saved(page);
  },
  limit: async (page) => {
    await page.getByText('Actions', { exact: true }).first().click();
    await page.getByRole('link', { name: 'Settings' }).or(page.getByText('Settings', { exact: true })).first().click();
    await page.getByRole('tab', { name: 'Connections' }).or(page.locator('a', { hasText: 'Connections' })).first().click();
    await page.locator('#MaxSendKbps').fill('200');
    await page.locator('#settings').getByRole('button', { name: 'Save' }).click(); await saved(page);
  },
};
