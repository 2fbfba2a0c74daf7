// What a form says about its fields: the messages that refuse a value and the
// hints beside it.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.fields) return;
  const { names, sight } = agent;
  const { squeeze, cut } = names;
  const fields = {};
  agent.fields = fields;

  const FIELDS = 'input:not([type=hidden]),select,textarea,[contenteditable]:not([contenteditable=false])';
  const WORDS = /\p{L}{2}/u;

  // Words that refuse a value and that no hint uses (an assumption, English).
  const REFUSAL = new RegExp('\\b(?:is required|invalid|not (?:a )?valid|incorrect|is missing|' +
    "(?:must not|cannot|can't) be (?:empty|blank)|do(?:es)? not match|already (?:in use|taken|registered))\\b", 'i');

  // Errors are written in red: red leads both other channels by far.
  function red(el) {
    const [r, g, b, a] = sight.rgba(getComputedStyle(el.firstElementChild || el).color);
    return a > 0.3 && r >= 120 && r > 1.6 * g && r > 1.6 * b;
  }

  // beside lists the short texts that stand next to a field and belong to no
  // other one: its next neighbours, then those of the boxes that hold only it.
  function beside(el) {
    const out = [];
    const take = (s) => {
      if (s.matches('label,legend,button,a,script,style,br') || s.querySelector('button')) return;
      if (!s.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return;
      const text = names.contentOf(s);
      let own = s.querySelector('a') ? s.textContent : text; // what is left without its links
      for (const a of s.querySelectorAll('a')) own = own.replace(a.textContent, '');
      if (text.length <= 200 && WORDS.test(own)) out.push({ text, el: s });
    };
    let from = el;
    for (let up = 0; up < 3; up++) {
      for (let s = from.nextElementSibling, i = 0; s && i < 3; s = s.nextElementSibling, i++) {
        if (s.matches(FIELDS) || s.matches('label,fieldset,form') || s.querySelector(FIELDS)) break;
        take(s);
      }
      const before = from.previousElementSibling;
      if (before && !before.matches(FIELDS) && !before.querySelector(FIELDS) && before.matches('p,span,small,div,output,em,strong')) take(before);
      const p = from.parentElement;
      if (!p || p.matches('form,fieldset,table,body') || p.querySelectorAll(FIELDS).length > 1) break;
      from = p;
    }
    return out;
  }

  // errorOf finds the message that is shown against a field's value: the one the
  // page ties to it, an alert or red words beside it, or the browser's own.
  function errorOf(el, near) {
    const invalid = el.getAttribute('aria-invalid');
    const wrong = invalid !== null && invalid !== 'false' && invalid !== '';
    if (wrong) {
      const text = names.byIds(el, 'aria-errormessage') || names.byIds(el, 'aria-describedby');
      if (text) return cut(text, 300);
    }
    // Near the field: an alert in the smallest wrapper that holds no other field.
    // Alerts also praise, and those of the page are not the field's.
    const refused = wrong || el.matches(':user-invalid');
    for (let p = el.parentElement, up = 0; p && up < 3; p = p.parentElement, up++) {
      if (p.matches('body,main,header,footer,nav,table') || p.querySelectorAll(FIELDS).length > 1) break;
      for (const alert of p.querySelectorAll('[role=alert],[aria-live=assertive]')) {
        const text = squeeze(alert.textContent);
        if (text && alert.checkVisibility() && (refused || red(alert) || REFUSAL.test(text))) return cut(text, 300);
      }
      if (p.matches('form,fieldset')) break;
    }
    const said = near.find((b) => red(b.el) || REFUSAL.test(b.text)) || (wrong ? near[0] : undefined);
    if (said) return cut(said.text, 300);
    const own = agent.complaint(el);
    if (own) return cut(own, 300);
    return wrong && el.validationMessage ? cut(el.validationMessage, 300) : '';
  }

  // helpOf finds the hint that belongs to a field, '' if there is none.
  function helpOf(el, near, error, name) {
    const fits = (text) => text && text !== error && text !== name;
    const described = names.byIds(el, 'aria-describedby');
    if (fits(described)) return cut(described, 300);
    const hint = near.find((b) => fits(b.text) && !red(b.el) && !REFUSAL.test(b.text));
    if (hint) return hint.text;
    const title = squeeze(el.getAttribute('title') || '');
    return fits(title) ? cut(title, 300) : '';
  }

  // told is what the page says of a field.
  fields.told = (el, name) => {
    const near = beside(el);
    const error = errorOf(el, near);
    return { error, help: helpOf(el, near, error, name) };
  };
})();
