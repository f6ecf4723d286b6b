// A cell that is written: it offers the values of its field, and takes what is typed or pasted.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts as catalogue } from '../../../shell/texts';
import type { CheckedField } from '../model/check-cell';
import { listOptions, markTyped, withOption } from '../model/options';

const texts = catalogue.waiting;

export interface ComboProps {
  readonly field: CheckedField;
  /** What stands there to begin with. */
  readonly text: string;
  readonly label: string;
  readonly counts: ReadonlyMap<string, number>;
  /** Rows that `Ctrl Enter` fills. */
  readonly selected: number;
  /** Opens its list at once. */
  readonly isOpen?: boolean;
  readonly commit: (text: string, then: 'stay' | 'down' | 'right' | 'left' | 'fill') => void;
  readonly cancel: () => void;
}

export function Combo({ field, text, label, counts, selected, isOpen = false, commit, cancel }: ComboProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState(text);
  const [isListed, setListed] = useState(isOpen || text !== '');
  const [at, setAt] = useState(0);
  // Once it is left, nothing more is said by it.
  const isDone = useRef(false);
  const hasList = field.values.length > 0;
  const { options, fit } = listOptions(field, isOpen && typed === text && text !== '' ? '' : typed, counts);
  const isShown = isListed && hasList;
  const chosen = isShown ? options[at] : undefined;

  // As soon as it is drawn: the next key belongs to it.
  useLayoutEffect(() => {
    input.current?.focus();
    const end = input.current?.value.length ?? 0;
    input.current?.setSelectionRange(end, end);
  }, []);
  useLayoutEffect(() => {
    if (isShown && input.current !== null && list.current !== null) place(list.current, input.current);
  });
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const finish = (value: string, then: Parameters<ComboProps['commit']>[1]) => {
    if (isDone.current) return;
    isDone.current = true;
    commit(value, then);
  };
  /** Of what stands in the field: keys may come faster than what is drawn. */
  const value = () => {
    const text = input.current?.value ?? typed;
    const isDrawn = text === typed;
    const meant = isDrawn ? chosen : listOptions(field, text, counts).options[0];
    const isFirst = !isDrawn || at === 0;
    if (meant === undefined || (text.trim() === '' && isFirst && !isOpen)) return text;
    // What is a value as it stands is not written over by another that also fits.
    if (isFirst && field.check(text).kind === 'value' && field.takes !== 'many-of') return text;
    return withOption(field, text, meant);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => (isShown ? setAt(Math.min(options.length - 1, at + 1)) : setListed(true)),
      ArrowUp: () => (event.altKey ? setListed(false) : setAt(Math.max(0, at - 1))),
      Enter: () => finish(value(), isCtrl && selected > 0 ? 'fill' : 'down'),
      Tab: () => finish(value(), event.shiftKey ? 'left' : 'right'),
      Escape: () => {
        isDone.current = true;
        cancel();
      },
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const listed = {
    role: 'combobox',
    'aria-expanded': isShown,
    'aria-autocomplete': 'list',
    ...(isShown ? { 'aria-controls': id } : {}),
    ...(chosen === undefined ? {} : { 'aria-activedescendant': `${id}-${at}` }),
  } as const;
  return (
    <>
      <input
        ref={input}
        class="waiting-input"
        aria-label={label}
        {...(hasList ? listed : {})}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value);
          setAt(0);
          setListed(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={event => finish(event.currentTarget.value, 'stay')}
      />
      {isShown && (
        <div ref={list} class="waiting-list">
          <div class="waiting-list-head">
            <span>{texts.listed(fit, field.values.length)}</span>
            {options.some(({ rows }) => rows > 0) && <span>{texts.inUse}</span>}
          </div>
          <div id={id} role="listbox" aria-label={field.label} class="waiting-options">
            {options.map((option, index) => (
              <div
                key={option.label}
                id={`${id}-${index}`}
                role="option"
                class="waiting-option"
                aria-selected={index === at}
                onPointerDown={event => {
                  event.preventDefault();
                  finish(withOption(field, typed, option), 'stay');
                }}
              >
                {option.code !== '' && <b class="waiting-code">{option.code}</b>}
                <bdi class="cut">
                  {markTyped(option.label, typed).map(part =>
                    part.isTyped ? <b>{part.text}</b> : part.text,
                  )}
                </bdi>
                {option.rows > 0 && <span class="quiet small nums">{texts.rows(option.rows)}</span>}
              </div>
            ))}
          </div>
          {options.length === 0 && <p class="waiting-none">{texts.noFit}</p>}
          <div class="waiting-list-foot">
            <span>
              <kbd>Enter</kbd> {texts.thisOne}
            </span>
            {selected > 0 && (
              <button
                type="button"
                tabIndex={-1}
                onPointerDown={event => {
                  event.preventDefault();
                  finish(value(), 'fill');
                }}
              >
                <kbd>Ctrl Enter</kbd> {texts.allSelected(selected)}
              </button>
            )}
          </div>
        </div>
      )}
    </>
  );
}

const GAP = 4;

/** Below its cell, or above where there is no room: over whatever scrolls. */
function place(list: HTMLElement, input: HTMLElement): void {
  const cell = input.getBoundingClientRect();
  const height = list.offsetHeight;
  const isBelow = cell.bottom + GAP + height <= innerHeight || cell.top < height;
  list.style.left = `${Math.max(8, Math.min(cell.left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${isBelow ? cell.bottom + GAP : cell.top - GAP - height}px`;
}
