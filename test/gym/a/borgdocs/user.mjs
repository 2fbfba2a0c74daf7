const settle = (page) => page.waitForTimeout(1500);
export default {
  letter: async (page) => {
    await page.locator('input[name=q]').first().fill('item flags');
    await page.keyboard.press('Enter');
    await page.locator('#search-results a, ul.search a', { hasText: 'borg create' }).first().click();
    await page.locator('#item-flags').scrollIntoViewIfNeeded();
    await page.locator('#item-flags li', { hasText: 'it changed while' }).scrollIntoViewIfNeeded();
    await settle(page);
  },
  full: async (page) => {
    await page.getByRole('link', { name: 'Frequently asked questions' }).first().click();
    await page.getByRole('link', { name: /my backup disk is full/i }).first().click();
    await settle(page);
  },
  compression: async (page) => {
    await page.getByRole('link', { name: 'Quick Start' }).first().click();
    await page.getByRole('link', { name: 'Backup compression' }).first().click();
    await settle(page);
  },
};
