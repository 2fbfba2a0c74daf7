export default {
  read: async () => {},
  add: async (page) => { await page.waitForTimeout(1500); await page.locator('#luckysheet-sheets-add').click(); await page.waitForTimeout(800); },
  rename: async (page) => {
    await page.waitForTimeout(1500);
    await page.locator('.luckysheet-sheets-item-name', { hasText: /^Cell$/ }).dblclick();
    await page.locator('.luckysheet-sheets-item-name[contenteditable=true]').fill('Cells of March');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(800);
  },
};
