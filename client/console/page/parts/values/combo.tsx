// A cell while it is written in: it offers the values of its field, and takes what is typed or pasted.
import './combo.css';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announceNow } from '../../shell/announce';
import { tellDay } from '../../shell/format';
import { reader } from '../../shell/reader';
import { texts as catalogue } from '../../shell/texts';
import type { CheckedField } from './check-cell';
import { listOptions, listReadings, markTyped, withOption } from './options';

const texts = catalogue.waiting;

export interface ComboProps {
  readonly field: CheckedField;
  /** What stands there to begin with. */
  readonly text: string;
  readonly label: string;
  /** How many rows of the job have each value, by its label. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many rows `Ctrl Enter` fills. */
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
  /** Where arrow keys moved to. Undefined: the first option, or none where a person has to choose. */
  const [moved, setMoved] = useState<number | undefined>();
  // Once it has committed or was cancelled, it commits nothing more: losing the focus would.
  const isDone = useRef(false);
  const isQuestion = listReadings(field, typed).length > 0;
  const hasList = field.values.length > 0 || isQuestion;
  const { options, fit } = listOptions(field, isOpen && typed === text && text !== '' ? '' : typed, counts);
  const isShown = isListed && hasList;
  const at = moved ?? (isQuestion ? -1 : 0);
  const chosen = isShown ? options[at] : undefined;

  // It takes the focus as soon as it is drawn: the next key belongs to it.
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
  /** What is meant, by the text that stands in the field by now: keys may come faster than they are drawn. */
  const value = () => {
    const text = input.current?.value ?? typed;
    const isDrawn = text === typed;
    if (!isDrawn && listReadings(field, text).length > 0) return text;
    const meant = isDrawn ? chosen : listOptions(field, text, counts).options[0];
    const isFirst = !isDrawn || at === 0;
    if (meant === undefined || (text.trim() === '' && isFirst && !isOpen)) return text;
    // A text that is a value as it stands is not replaced by an option that also fits.
    const checked = field.check(text);
    const isWhole = checked.kind === 'value' && (field.takes !== 'many-of' || checked.texts.length === 0);
    if (isFirst && isWhole) return text;
    return withOption(field, text, meant);
  };
  /** A date that can be read two ways is not taken: the cell stays until a person has said which is meant. */
  const enter = (then: 'fill' | 'down') => {
    const meant = value();
    const readings = listReadings(field, meant);
    if (readings.length === 0) return finish(meant, then);
    setTyped(meant);
    setListed(true);
    announceNow(texts.whichDate(readings.map(day => tellDay(day, reader()))));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => (isShown ? setMoved(Math.min(options.length - 1, at + 1)) : setListed(true)),
      ArrowUp: () => (event.altKey ? setListed(false) : setMoved(Math.max(0, at - 1))),
      Enter: () => enter(isCtrl && selected > 0 ? 'fill' : 'down'),
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
        class="combo-input"
        aria-label={label}
        {...(hasList ? listed : {})}
        autocomplete="off"
        spellcheck={false}
        {...(hasList || field.emptyWord === undefined
          ? {}
          : { placeholder: texts.leavesEmpty(field.emptyWord) })}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value);
          setMoved(undefined);
          setListed(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={event => finish(event.currentTarget.value, 'stay')}
      />
      {isShown && (
        <div ref={list} class="combo-list">
          <div class="combo-list-head">
            <span>{isQuestion ? texts.whichIsMeant : texts.listed(fit, field.values.length)}</span>
            {options.some(({ rows }) => rows > 0) && <span>{texts.inUse}</span>}
          </div>
          <div id={id} role="listbox" aria-label={field.label} class="combo-options">
            {options.map((option, index) => (
              <div
                key={option.label}
                id={`${id}-${index}`}
                role="option"
                class="combo-option"
                aria-selected={index === at}
                onPointerDown={event => {
                  event.preventDefault();
                  finish(withOption(field, typed, option), 'stay');
                }}
              >
                {option.code !== '' && <b class="combo-code">{option.code}</b>}
                {option.isEmpty === true && <i class="quiet">{texts.leaveEmpty}</i>}
                <bdi class="cut">
                  {isQuestion
                    ? tellDay(option.label, reader())
                    : markTyped(option.label, typed).map(part =>
                        part.isTyped ? <b>{part.text}</b> : part.text,
                      )}
                </bdi>
                {option.rows > 0 && <span class="quiet small nums">{texts.rows(option.rows)}</span>}
              </div>
            ))}
          </div>
          {options.length === 0 && <p class="combo-none">{texts.noFit}</p>}
          <div class="combo-list-foot">
            <span>
              <kbd>Enter</kbd> {texts.thisOne}
            </span>
            {selected > 0 && (
              <button
                type="button"
                tabIndex={-1}
                onPointerDown={event => {
                  event.preventDefault();
                  enter('fill');
                }}
              >
                <kbd>{texts.fillKeys}</kbd> {texts.allSelected(selected)}
              </button>
            )}
          </div>
        </div>
      )}
    </>
  );
}

const GAP = 4;

/** Puts the list below its cell, or above where there is no room: it lies over whatever scrolls. */
function place(list: HTMLElement, input: HTMLElement): void {
  const cell = input.getBoundingClientRect();
  const height = list.offsetHeight;
  const isBelow = cell.bottom + GAP + height <= innerHeight || cell.top < height;
  list.style.left = `${Math.max(8, Math.min(cell.left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${isBelow ? cell.bottom + GAP : cell.top - GAP - height}px`;
}
