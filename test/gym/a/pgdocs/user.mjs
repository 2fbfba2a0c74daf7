const follow = async (page, ...names) => { for (const name of names) await page.getByRole('link', { name }).first().click(); };
export default {
  vacuum: (page) => follow(page, /SQL Commands/, /^VACUUM/),
  money: (page) => follow(page, /Data Types/, /Monetary Types/),
  password: (page) => follow(page, /libpq — C Library/, /The Password File/),
};
