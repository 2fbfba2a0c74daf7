const clients = async (page, surname) => {
  await page.getByRole('link', { name: 'Clients' }).locator('visible=true').first().click();
  await page.waitForTimeout(400);
  await page.locator('tr', { hasText: surname }).last().getByRole('link').first().click();
  await page.waitForTimeout(400);
};
export default {
  add: async (page) => {
    await page.getByRole('button', { name: 'Insert a new client' }).click();
    await page.locator('[name=cognome]').fill('Calder');
    await page.locator('[name=nome]').fill('Ines');
    await page.locator('[name=telefono]').fill('0171 555 0199');
    await page.getByRole('button', { name: 'Insert data' }).last().click();
  },
  phone: async (page) => {
    await clients(page, 'Kowal');
    await page.locator('[name=n_telefono]').fill('0171 555 0142');
    await page.getByRole('button', { name: 'Modify data of client' }).last().click();
    await page.getByRole('button', { name: 'Continue' }).click();
  },
  delete: async (page) => {
    await clients(page, 'Sample');
    await page.getByRole('button', { name: /^\s*delete client/i }).last().click();
    await page.waitForTimeout(500);
    await page.getByRole('button', { name: /yes|delete/i }).last().click();
  },
  room: async (page) => {
    await page.locator('select').filter({ hasText: 'all the rooms' }).selectOption({ label: 'all the rooms' });
    await page.getByRole('button', { name: 'View' }).nth(1).click();
    await page.locator('tr', { hasText: /^\s*03/ }).getByRole('link', { name: 'modify' }).first().click();
    await page.waitForTimeout(500);
    await page.locator('[name*=maxoccupanti]').first().fill('4');
    await page.getByRole('button', { name: 'Modify room 03' }).last().click();
    await page.waitForTimeout(500);
    const sure = page.getByRole('button', { name: 'Continue' });
    if (await sure.count()) await sure.click();
  },
};
