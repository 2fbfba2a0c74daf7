const login = async (page) => {
  await page.locator('input[type=email], input[type=text]').first().fill('owner@example.com');
  await page.locator('input[type=password]').fill('Copper-kettle-7');
  await page.getByRole('button', { name: /login/i }).click();
  await page.locator('.page-sidebar').getByText('pupils', { exact: true }).click();
  await page.waitForTimeout(800);
};
const panel = (page) => page.locator('.overlay-panel.record-panel, .overlay-panel').last();
const save = async (page) => { await panel(page).getByRole('button', { name: /^(create|save changes)$/i }).first().click(); await page.waitForTimeout(1000); };
const field = (page, name) => panel(page).locator(`.form-field:has(label:has-text("${name}")) textarea, .form-field:has(label:has-text("${name}")) input[type=text]`).first();
export default {
  create: async (page) => {
    await login(page);
    await page.getByRole('button', { name: /new record/i }).first().click();
    await field(page, 'name').fill('Ines Calder'); await field(page, 'city').fill('Hull');
    await save(page);
  },
  change: async (page) => {
    await login(page);
    await page.locator('tr', { hasText: 'Rosa Lind' }).getByText('Rosa Lind').click();
    await field(page, 'city').fill('Whitby');
    await save(page);
  },
  delete: async (page) => {
    await login(page);
    await page.locator('tr', { hasText: 'Test Person' }).locator('.form-field-toggle, .bulk-select-col label, td').first().click();
    await page.getByRole('button', { name: /delete selected/i }).click();
    await page.getByRole('button', { name: /^yes/i }).click();
    await page.waitForTimeout(1000);
  },
};
