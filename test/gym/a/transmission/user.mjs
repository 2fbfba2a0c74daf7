const row = (page, name) => page.locator('#torrent_list li', { hasText: name });
export default {
  limit: async (page) => {
    await page.locator('#prefs-button').click();
    await page.getByText('Speed', { exact: true }).first().click();
    await page.locator('#speed-limit-down-enabled').check();
    await page.locator('#speed-limit-down').fill('500');
    await page.locator('#speed-limit-down').blur();
  },
  remove: async (page) => {
    await row(page, 'City maps').click();
    await page.locator('#toolbar-remove').click();
    await page.locator('#dialog_confirm_button').click();
    await page.waitForTimeout(500);
  },
  rename: async (page) => {
    await row(page, 'Holiday pictures').click({ button: 'right' });
    await page.locator('#torrent_context_menu, #jqContextMenu').getByText('Rename').first().click();
    await page.locator('#torrent_rename_name').fill('Norway 2024');
    await page.locator('#rename_confirm_button').or(page.getByText('Rename', { exact: true })).last().click();
    await page.waitForTimeout(500);
  },
  comment: async (page) => {
    await row(page, 'Choir recordings').click();
    await page.locator('#toolbar-inspector').click();
    await page.waitForTimeout(500);
  },
};
