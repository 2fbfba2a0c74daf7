// What a control without words is called: after the picture that it shows, as
// the page's own files and fonts name it, or after its form and colour.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.icons) return;
  const { names, sight } = agent;
  const icons = {};
  agent.icons = icons;

  // Words of file names that say how a picture is made and not what it shows.
  const MADE = new Set(['icon', 'icons', 'ico', 'ic', 'img', 'image', 'images', 'svg', 'png', 'btn', 'button', 'px', 'dp', 'sprite', 'sprites',
    'outline', 'outlined', 'solid', 'filled', 'fill', 'regular', 'line', 'rounded', 'round', 'sharp', 'thin', 'light', 'dark', 'bold',
    'black', 'white', 'grey', 'gray', 'small', 'large', 'xs', 'sm', 'md', 'lg', 'xl', 'min', 'symbol', 'glyph', 'i']);

  // wordsOf takes the words out of the name of a file or a symbol; '' where there
  // are none: numbers, hashes and whole sentences.
  function wordsOf(address) {
    if (!address || address.startsWith('data:') || address.startsWith('blob:')) return '';
    let name = address.includes('#') ? address.split('#').pop() : address.split('?')[0].split('/').pop();
    name = name.split('.')[0].replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
    const words = name.split(/[^a-z\d]+/).map((w) => w.replace(/\d+(px|dp)?$/, '')).filter((w) => w && !MADE.has(w));
    if (words.length === 0 || words.length > 3 || words.some((w) => /\d/.test(w) || w.length < 2 || w.length > 14)) return '';
    return words.join(' ');
  }

  const URL_OF = /url\(["']?([^"')]+)["']?\)/;
  function pictureOf(el) {
    if (el.localName === 'img') return wordsOf(el.getAttribute('src'));
    for (const name of ['data-icon', 'data-lucide', 'data-feather']) if (el.hasAttribute(name)) return wordsOf(el.getAttribute(name));
    if (el.localName === 'use') return wordsOf(el.getAttribute('href') || el.getAttribute('xlink:href'));
    if (el.ownerSVGElement) return '';
    for (const pseudo of [undefined, '::before', '::after']) {
      const cs = getComputedStyle(el, pseudo);
      for (const text of [cs.backgroundImage, cs.maskImage, cs.content]) {
        const m = URL_OF.exec(text || '');
        const words = m && wordsOf(m[1]);
        if (words) return words;
      }
    }
    return '';
  }

  // titleOf is what a picture inside is titled.
  function titleOf(el) {
    for (const n of [...el.querySelectorAll('[title],[aria-label],img[alt]')].slice(0, 5)) {
      const words = names.squeeze(n.getAttribute('aria-label') || n.getAttribute('title') || n.getAttribute('alt') || '');
      if (words) return words;
    }
    return '';
  }

  // Basic colour terms (Berlin and Kay 1969) by hue in degrees; the borders lie
  // between them (assumption).
  const HUES = [[15, 'red'], [42, 'orange'], [68, 'yellow'], [165, 'green'], [190, 'cyan'], [258, 'blue'], [295, 'purple'], [345, 'pink'], [361, 'red']];
  function colourOf([r, g, b, a]) {
    if (a < 0.2) return '';
    const max = Math.max(r, g, b), range = max - Math.min(r, g, b);
    if (range < 24) return max < 50 ? 'black' : max > 225 ? 'white' : 'gray';
    let h = max === r ? (g - b) / range : max === g ? 2 + (b - r) / range : 4 + (r - g) / range;
    h = (h * 60 + 360) % 360;
    const hue = HUES.find(([to]) => h < to)[1];
    return hue === 'orange' && max < 170 ? 'brown' : hue;
  }

  // formOf is what a shape without words looks like: "red circle".
  function formOf(el) {
    const cs = getComputedStyle(el), r = el.getBoundingClientRect();
    const even = Math.abs(r.width - r.height) <= 0.1 * Math.max(r.width, r.height);
    let form = '', colour = cs.backgroundColor;
    if (el.ownerSVGElement) {
      colour = cs.fill === 'none' ? cs.stroke : cs.fill;
      const forms = { circle: 'circle', ellipse: even ? 'circle' : 'ellipse', rect: even ? 'square' : 'rectangle', line: 'line', polyline: 'line' };
      form = el.localName === 'polygon' ? (el.points.numberOfItems === 3 ? 'triangle' : 'shape') : forms[el.localName] || '';
    } else if (el.childElementCount === 0 && r.width <= 200 && r.height <= 200) {
      form = !even ? 'rectangle' : cs.borderTopLeftRadius === '50%' || parseFloat(cs.borderTopLeftRadius) >= 0.45 * r.width ? 'circle' : 'square';
    }
    if (!form || !/^(rgb|color|ok|hsl)/.test(colour)) return '';
    const named = colourOf(sight.rgba(colour));
    return named ? named + ' ' + form : '';
  }

  // nameOf is for what has no name of its own.
  icons.nameOf = (el) => {
    const title = titleOf(el);
    if (title) return { name: names.cut(title, 300), source: 'title' };
    for (const n of [el, ...el.querySelectorAll('*')].slice(0, 8)) {
      const words = pictureOf(n);
      if (words) return { name: words, source: 'icon' };
    }
    const form = formOf(el);
    return form ? { name: form, source: 'shape' } : { name: '', source: '' };
  };

  // ligature: fonts of pictures show a picture in place of its written name, one
  // glyph, as wide as it is high.
  icons.ligature = (text, width, size) => /^[a-z]+(_[a-z\d]+)*$/.test(text) && text.length >= 3 && width <= 1.3 * size;
})();
