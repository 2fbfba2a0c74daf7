const go = (page) => page.locator('input[type=submit]').first().click();
export default {
  apply: async (page) => {
    await page.getByLabel(/basic/i).check(); await go(page);
    await page.locator('[name=name]').fill('Maria Keller'); await go(page);
    for (const [part, value] of [['day', '4'], ['month', '5'], ['year', '1990']]) await page.locator(`[name=dateOfBirth-${part}]`).fill(value);
    await go(page);
    await page.locator('[name$=amount], [name$=-amount], [name*=amountWithUnitSelect-]').first().fill('250');
    await page.locator('select').first().selectOption({ index: 1 }); await go(page);
    for (const [part, value] of [['building', '12'], ['street', 'Mill Lane'], ['townOrCity', 'Leeds'], ['postcode', 'LS1 4AP']]) await page.locator(`[name=${part}]`).fill(value);
    await go(page);
    await page.getByLabel(/salary/i).check(); await go(page);
    await page.getByLabel(/scotland/i).check(); await go(page);
    await page.locator('[name=email]').fill('maria@example.com'); await go(page);
    await page.locator('[name=phone]').fill('0113 496 0000'); await go(page);
    await go(page);
    await page.waitForURL(/confirmation/);
  },
  exit: async (page) => {
    await page.getByLabel(/basic/i).check(); await go(page);
    await page.locator('[name=name]').fill('Maria Keller'); await go(page);
    await page.getByText(/save and exit/i).first().click();
  },
  accessibility: async (page) => { await page.getByRole('link', { name: /accessibility/i }).first().click(); },
};
