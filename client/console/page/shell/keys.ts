// Keys of the whole page and of the view that is shown. Single keys work outside fields only, and may be
// switched off (WCAG 2.1.4).
import { useLayoutEffect, useRef } from 'preact/hooks';
import { preferences } from './preferences';

/** What each key does, by its name: `N`, `Shift+N`, `Ctrl+A`, `?`, `ArrowDown`. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

function nameOfKey(event: KeyboardEvent): string {
  const key = event.key.length === 1 && /[a-z]/i.test(event.key) ? event.key.toUpperCase() : event.key;
  const isLetter = /^[A-Z]$/.test(key) || key.length > 1;
  return [
    event.ctrlKey || event.metaKey ? 'Ctrl+' : '',
    event.altKey ? 'Alt+' : '',
    event.shiftKey && isLetter ? 'Shift+' : '',
    key,
  ].join('');
}

export function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))
  );
}

const OF_CONTROLS = new Set([' ', 'Enter', 'Tab']);

/** Whether the focused control acts on this key itself: a grid around it must leave the key to it. */
export function isOfControl({ target, key }: KeyboardEvent): boolean {
  return OF_CONTROLS.has(key) && target instanceof Element && target.matches('button, summary, input, a');
}

/**
 * Keys of one view. They work wherever the focus is, except in fields and while a dialog is open, and as soon
 * as the view is shown: an effect after the paint would miss what is pressed before it.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isField(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const name = nameOfKey(event);
      // Where text is selected, the browser copies that text.
      if (name === 'Ctrl+C' && getSelection()?.isCollapsed === false) return;
      if (!preferences.value.singleKeys && /^(Shift\+)?.$/.test(name)) return;
      const act = latest.current[name];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
