// The field that finds from every view: each hit tells what became of it, not only where it is.
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { DocumentNumber } from '../parts/document-number';
import { Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { OutcomeWord } from '../parts/sign';
import { type Answer, urlOf } from '../shell/api';
import { useAsked } from '../shell/asked';
import { tellTime } from '../shell/format';
import { placeOfFound, placeOfQuestions } from '../shell/found';
import { now, reader } from '../shell/reader';
import { navigate } from '../shell/router';
import { texts } from '../shell/texts';

type Found = Answer<'GET /api/find'>['found'][number];

const MOST_SHOWN = 8;
const TYPED_MS = 150;
const LONGEST = 200;

export function FindField(): JSX.Element {
  const { common } = texts;
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState('');
  const [chosen, setChosen] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim().slice(0, LONGEST)), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const question = asked === '' ? undefined : { query: { q: asked } };
  const { data, answered } = useAsked('GET /api/find', question, { keepsBefore: true });
  const found = asked === '' || !isOpen ? [] : (data?.found.slice(0, MOST_SHOWN) ?? []);
  // Enter opens nothing that was found for what was typed before.
  const isOfTyped =
    question !== undefined &&
    typed.trim().slice(0, LONGEST) === asked &&
    answered === urlOf('GET /api/find', question);
  const isListed = isOpen && asked !== '' && data !== undefined;
  const leave = () => {
    setOpen(false);
    setChosen(0);
  };
  const open = (one: Found) => {
    leave();
    setTyped('');
    navigate(placeOfFound(one));
  };
  const lookFor = (text: string) => {
    leave();
    setTyped('');
    navigate(placeOfQuestions(text));
  };
  /** A pasted column of a sheet goes to the view that tells what became of each. */
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain').trim() ?? '';
    if (!/[\n\t]/.test(text)) return;
    event.preventDefault();
    lookFor(text);
  };
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      if (typed === '' && event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
      setTyped('');
      leave();
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % found.length);
    }
    const one = isOfTyped ? found[chosen] : undefined;
    if (event.key === 'Enter' && one !== undefined) open(one);
    else if (event.key === 'Enter' && typed.trim() !== '') lookFor(typed.trim());
  };
  return (
    <search class="find search">
      <Icon name="search" />
      <input
        id="find"
        class="field"
        type="text"
        role="combobox"
        placeholder={common.find}
        aria-label={common.findLabel}
        aria-expanded={isListed}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value);
          setOpen(true);
          setChosen(0);
        }}
        onFocus={() => setOpen(true)}
        onBlur={leave}
        onPaste={paste}
        onKeyDown={walk}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
      <div
        id={`${id}-list`}
        class="found menu"
        role="listbox"
        aria-label={common.findLabel}
        hidden={!isListed}
      >
        {found.map((one, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={placeOfFound(one)}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            // Else the field would lose the focus, and its list would close before the click.
            onMouseDown={event => event.preventDefault()}
            onClick={() => open(one)}
          >
            <FoundLine one={one} />
          </div>
        ))}
        {isListed && found.length === 0 ? <p class="quiet">{common.nothingFound}</p> : null}
      </div>
    </search>
  );
}

function FoundLine({ one }: { readonly one: Found }): JSX.Element {
  const time = (at: string) => tellTime(at, now.value, reader());
  if (one.kind === 'person') return <Name text={one.label} isCut />;
  if (one.kind === 'job')
    return (
      <>
        <Name text={one.label} isCut />
        <span class="third small">{time(one.at)}</span>
      </>
    );
  return (
    <>
      <span class="found-number">
        <DocumentNumber number={one.label} /> {one.revision}
        <small class="third">
          <Name text={one.jobName} isCut />
        </small>
      </span>
      <span class="found-verdict">
        <OutcomeWord outcome={one.outcome} />
        {one.since === null ? null : <small class="third">{time(one.since)}</small>}
      </span>
    </>
  );
}
