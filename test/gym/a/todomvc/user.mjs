const add = async (page, ...titles) => {
  for (const title of titles) {
    await page.locator('#new-todo').fill(title);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
  }
};
export default {
  add: (page) => add(page, 'Call the plumber', 'Water the plants'),
  done: async (page) => {
    await add(page, 'Pay the rent', 'Buy stamps');
    await page.locator('#todo-list li', { hasText: 'rent' }).locator('.toggle').check();
  },
  rename: async (page) => {
    await add(page, 'Visit Anna');
    await page.locator('#todo-list label').dblclick();
    await page.locator('#todo-list .edit').fill('Visit Anna on Sunday');
    await page.keyboard.press('Enter');
  },
};
