// Serves the example form of the Home Office Forms framework, as its package has
// it, and keeps what a visitor fills in: serve.js FORM PORT RECORD
const fs = require('node:fs');
const path = require('node:path');

const [form, port, record] = process.argv.slice(2);
process.chdir(form);
const from = (name) => require(require.resolve(name, { paths: [form] }));
const { MemoryStore } = from('express-session');
const store = new MemoryStore();
const set = store.set.bind(store);
store.set = (id, session, done) => {
  fs.appendFileSync(record, JSON.stringify(session['hof-wizard-sandbox'] || {}) + '\n');
  set(id, session, done);
};
const hof = require(path.join(form, '..'));
hof({
  translations: './apps/sandbox/translations',
  routes: [require(path.join(form, 'apps/sandbox'))],
  behaviours: [hof.components.sessionTimeoutWarning],
  getAccessibility: true, sessionTimeoutWarningContent: true, exitFormContent: true,
  port, host: '127.0.0.1', loglevel: 'error', session: { secret: '0123456789abcdef0123456789abcdef' }, sessionStore: store,
});
