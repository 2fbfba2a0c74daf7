const open = async (page, title) => {
  await page.getByText('Reading-circle').last().click();
  await page.locator(`a.book-list-item[title^="${title}"]`).click();
  await page.locator('[title^="Edit the metadata"]:visible').first().waitFor();
  await page.waitForTimeout(600);
};
const edit = async (page, field, value) => {
  await page.locator('[title^="Edit the metadata"]:visible').first().click();
  await page.waitForTimeout(800);
  await page.locator('td, a, div', { hasText: new RegExp(`^${field}:?$`) }).locator('visible=true').first().click();
  await page.waitForTimeout(500);
  await page.locator('input[type=text]:visible, input[type=search]:visible, textarea:visible').last().fill(value);
  await page.getByText('OK', { exact: true }).last().click();
  await page.waitForTimeout(500);
  await page.getByText('Apply changes').locator('visible=true').last().click();
  await page.waitForTimeout(1500);
};
export default {
  publisher: (page) => open(page, 'The Salt Road'),
  rename: async (page) => { await open(page, 'Letters form'); await edit(page, 'Title', 'Letters from the Lighthouse'); },
  tag: async (page) => { await open(page, 'Winter Bees'); await edit(page, 'Tags', 'Nature, Borrowed by Ilse'); },
  delete: async (page) => {
    await open(page, 'User manual');
    await page.locator('[title="Delete this book"]:visible').first().click();
    await page.waitForTimeout(600);
    await page.getByText('OK', { exact: true }).or(page.getByText('Delete', { exact: true })).locator('visible=true').last().click();
    await page.waitForTimeout(1500);
  },
};
