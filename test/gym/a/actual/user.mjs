const start = async (page) => {
  page.setDefaultTimeout(40000);
  await page.getByText('Start budgeting').click();
  await page.locator('[data-testid="category-name"]').first().waitFor();
  await page.waitForTimeout(1500);
};
const row = (page, name) => page.locator('[data-testid="budget-table"] [data-testid="row"]', { has: page.locator('[data-testid="category-name"]', { hasText: new RegExp(`^${name}$`) }) });
export default {
  account: async (page) => {
    await start(page);
    await page.getByText('Add account').first().click();
    await page.locator('input[name=name]').fill('Piggy bank');
    await page.locator('input[name=balance]').fill('250');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForTimeout(6000);
  },
  rename: async (page) => {
    await start(page);
    await row(page, 'General').locator('[data-testid="category-name"]').click({ button: 'right' });
    await page.getByText('Rename', { exact: true }).last().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Household');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(4000);
  },
  plan: async (page) => {
    await start(page);
    await row(page, 'Food').locator('[data-testid="budget"]').getByText('0.00').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('120');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(4000);
  },
  theme: async (page) => {
    await start(page);
    await page.getByText('More', { exact: true }).first().click();
    await page.getByText('Settings', { exact: true }).first().click();
    await page.getByRole('button', { name: /light|system default|auto/i }).first().click();
    await page.getByText('Dark', { exact: true }).last().click();
    await page.waitForTimeout(4000);
  },
};
