// A dialog over the page. The browser keeps the focus in it, and Esc closes it; the focus goes back to where
// it was.
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../shell/texts';
import { Icon } from './icons';

interface DialogProps {
  readonly title: string;
  /** Wide enough for a table. */
  readonly isWide?: boolean;
  /** Absent: it stays until what it asks for is done. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, isWide = false, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // While it is open, nothing outside it can take the focus.
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={event => {
        // Of one that is not cancelable the browser closes the dialog: it tells so by `close`.
        if (!event.cancelable) return;
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        // Pressed twice, Esc closes it without a question. Whether it may go, its owner says.
        if (dialog.current === null) return;
        if (!dialog.current.open) dialog.current.showModal();
        onClose?.();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose === undefined ? null : (
          <button type="button" class="button bare" aria-label={texts.common.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
