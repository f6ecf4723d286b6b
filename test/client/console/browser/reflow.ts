// What fits on a small screen, or on a large one that is zoomed: nothing is cut off, nothing lies over what
// can be pressed, and only tables scroll sideways, in their own place (WCAG 2.2, 1.4.4 and 1.4.10).
import type { Page } from 'playwright-core';

/** 1280 by 800 at 200 %, and 1280 by 1024 at 400 %, which is a small telephone as well. */
const SIZES = [
  { width: 640, height: 400 },
  { width: 320, height: 640 },
] as const;

/** Runs in the page. Sizes in CSS pixels. */
const LOOK = `(() => {
  const root = document.scrollingElement;
  const found = [];
  const say = (what, element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40);
    const at = [left, right, top, bottom].map(Math.round).join(' ');
    found.push(what + ': ' + element.localName + '.' + element.className + ' "' + name + '" at ' + at);
  };
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (root.scrollWidth > innerWidth + 1) {
    const wide = [...document.querySelectorAll('body *')].filter(
      each => each.getBoundingClientRect().right > innerWidth + 1 && !scrollsSideways(each),
    );
    found.push('the page is ' + root.scrollWidth + ' wide');
    for (const each of wide.slice(0, 3)) say('too wide', each);
  }
  function scrollsSideways(element) {
    for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement)
      if (getComputedStyle(each).overflowX !== 'visible') return true;
    return false;
  }
  const stands = [root.scrollTop, root.scrollLeft];
  const pressed = 'a[href], button, input, select, textarea, summary, [role=button], [role=tab]';
  for (const element of (dialog ?? document).querySelectorAll(pressed)) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('[inert], [aria-hidden=true]') || element.matches('.skip, :disabled, [type=file], [type=hidden]')) continue;
    element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2) continue;
    if (left < -1 || right > innerWidth + 1) say('cut off', element);
    else {
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const hit = document.elementFromPoint(x, y);
      const isIt = hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.contains(element));
      if (!isIt) say('covered by ' + hit?.localName + '.' + hit?.className, element);
    }
  }
  root.scrollTo({ top: stands[0], left: stands[1], behavior: 'instant' });
  return found;
})()`;

/** What does not fit; nothing is wanted. `shot` is told of each size while the page has it. */
export async function findOverflow(
  page: Page,
  shot: (width: number) => Promise<void>,
): Promise<readonly string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const size of SIZES) {
    await page.setViewportSize(size);
    // Drawn anew before it is measured.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await shot(size.width);
    const faults = (await page.evaluate(LOOK)) as readonly string[];
    found.push(...faults.map(fault => `${size.width} px: ${fault}`));
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
}
