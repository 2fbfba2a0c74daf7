const go = (page) => page.locator('input[type=submit]').first().click();
const until = async (page, form, who) => {
  await page.getByLabel(form).check(); await go(page);
  await page.locator('[name=name]').fill(who.name); await go(page);
  for (const [i, part] of ['day', 'month', 'year'].entries()) await page.locator(`[name=dateOfBirth-${part}]`).fill(who.born[i]);
  await go(page);
  await page.locator('[name*=amountWithUnitSelect-]').first().fill(who.amount);
  await page.locator('select').first().selectOption(who.unit); await go(page);
  for (const [i, part] of ['building', 'street', 'townOrCity', 'postcode'].entries()) await page.locator(`[name=${part}]`).fill(who.lives[i]);
  await go(page);
  await page.getByLabel(who.income).check(); await go(page);
  await page.getByLabel(who.lodged).check(); await go(page);
};
export default {
  apply: async (page) => {
    await until(page, 'Basic form', { name: 'Maria Keller', born: ['4', '5', '1990'], amount: '250', unit: 'KG', lives: ['12', 'Mill Lane', 'Leeds', 'LS1 4AP'], income: 'Salary', lodged: 'Scotland' });
    await page.locator('[name=email]').fill('maria@example.com'); await go(page);
    await page.locator('[name=phone]').fill('0113 496 0000'); await go(page);
    await go(page);
    await page.waitForURL(/confirmation/);
  },
  country: async (page) => {
    await until(page, 'Complex form', { name: 'Jon Berg', born: ['20', '11', '1984'], amount: '3', unit: 'L', lives: ['5', 'Harbour Street', 'Hull', 'HU1 1AA'], income: 'Child Benefit', lodged: 'Northern Ireland' });
    await page.locator('select').selectOption('Norway'); await go(page);
  },
  accessibility: async (page) => { await page.getByRole('link', { name: /accessibility/i }).first().click(); },
};
