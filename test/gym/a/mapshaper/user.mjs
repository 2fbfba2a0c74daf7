const layer = async (page, name) => {
  await page.waitForTimeout(1000);
  if (!await page.locator('.layer-menu').isVisible()) await page.locator('.layer-control-btn:visible').click();
  await page.waitForTimeout(600);
  return page.locator('.layer-list .layer-item', { hasText: name });
};
export default {
  rename: async (page) => {
    const item = await layer(page, 'huts');
    await item.locator('.layer-name').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('shelters');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(600);
  },
  delete: async (page) => {
    const item = await layer(page, 'valleys');
    await item.hover();
    await item.locator('.more-btn').click();
    await page.getByText(/^delete/i).locator('visible=true').first().click();
    await page.waitForTimeout(600);
  },
  north: async (page) => { await page.waitForTimeout(500); },
};
