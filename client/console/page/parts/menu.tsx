// A button that opens a list of actions: arrows walk, Esc and a click elsewhere close.
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../shell/texts';
import { Icon } from './icons';
import { Name } from './name';

export interface MenuItem {
  readonly label: string;
  readonly href?: string;
  readonly act?: () => void;
  /** Only of items that are switched on and off: for them the menu stays open. */
  readonly isChecked?: boolean;
}

interface MenuProps {
  readonly label?: string;
  readonly items: readonly MenuItem[];
  /** On the button; three dots when absent. */
  readonly children?: ComponentChildren;
}

export function Menu({ label = texts.common.more, items, children }: MenuProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const entries = () => [...(place.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
  useLayoutEffect(() => {
    if (!isOpen) return;
    entries()[0]?.focus();
    const leave = (event: Event) => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      setOpen(false);
      if (event.key === 'Escape') opener.current?.focus();
      event.stopPropagation();
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  const choose = (item: MenuItem) => {
    if (item.isChecked === undefined) {
      setOpen(false);
      opener.current?.focus();
    }
    item.act?.();
  };
  return (
    <div class="menu-place" ref={place}>
      <button
        type="button"
        ref={opener}
        class={children === undefined ? 'button icon-only' : 'button'}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={children === undefined ? label : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children ?? <Icon name="more" />}
      </button>
      {isOpen ? (
        <div class="menu" role="menu" aria-label={label} tabIndex={-1} onKeyDown={walk}>
          {items.map(item =>
            item.href === undefined ? (
              <button
                key={item.label}
                type="button"
                {...roleOf(item)}
                tabIndex={-1}
                onClick={() => choose(item)}
              >
                {item.isChecked === undefined ? null : (
                  <span class="menu-check">{item.isChecked ? <Icon name="check" /> : null}</span>
                )}
                <Name text={item.label} />
              </button>
            ) : (
              <a
                key={item.label}
                role="menuitem"
                tabIndex={-1}
                href={item.href}
                target="_blank"
                rel="noreferrer"
                onClick={() => setOpen(false)}
              >
                {item.label}
              </a>
            ),
          )}
        </div>
      ) : null}
    </div>
  );
}

function roleOf({
  isChecked,
}: MenuItem): { role: 'menuitem' } | { role: 'menuitemcheckbox'; 'aria-checked': boolean } {
  return isChecked === undefined
    ? { role: 'menuitem' }
    : { role: 'menuitemcheckbox', 'aria-checked': isChecked };
}
