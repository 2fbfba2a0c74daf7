const pick = async (page, name) => {
  await page.locator('.list_item', { hasText: name }).locator('input[type=checkbox]').check();
  await page.waitForTimeout(400);
};
const settle = (page) => page.waitForTimeout(2000);
export default {
  rename: async (page) => {
    await pick(page, 'minuets of may.txt');
    await page.locator('.rename-button').click();
    await page.locator('.modal-dialog input[type=text]').fill('minutes of may.txt');
    await page.locator('.modal-dialog .btn-primary').click();
    await settle(page);
  },
  move: async (page) => {
    await pick(page, 'invoice of the hall.txt');
    await page.locator('.move-button').click();
    await page.locator('.modal-dialog input[type=text]').fill('/Bills');
    await page.locator('.modal-dialog .btn-primary').click();
    await settle(page);
  },
  delete: async (page) => {
    await pick(page, 'old seating plan.txt');
    await page.locator('.delete-button').click();
    await page.locator('.modal-dialog .btn-danger').click();
    await settle(page);
  },
  edit: async (page) => {
    const opened = page.context().waitForEvent('page');
    await page.locator('.list_item', { hasText: 'rehearsals.txt' }).locator('a.item_link').click();
    const editor = await opened;
    await editor.locator('.CodeMirror-line', { hasText: 'Mondays' }).click();
    await editor.keyboard.press('Control+Home');
    await editor.keyboard.press('Shift+End');
    await editor.keyboard.type('We rehearse on Thursdays at half past seven in the parish hall.');
    await editor.keyboard.press('Control+S');
    await settle(editor);
  },
};
