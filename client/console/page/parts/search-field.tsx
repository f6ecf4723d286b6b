// A field that filters what is shown: what is typed stands in the address a moment later.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, changeQuery } from '../shell/router';
import { Icon } from './icons';

const TYPED_MS = 200;
const LONGEST = 200;

interface SearchFieldProps {
  readonly label: string;
  readonly class?: string;
}

export function SearchField({ label, class: more = '' }: SearchFieldProps): JSX.Element {
  const asked = address.value.query.q ?? '';
  const [typed, setTyped] = useState(asked);
  const sent = useRef(asked);
  useEffect(() => {
    // The address was changed elsewhere: a filter was cleared, or somebody went back.
    if (asked !== sent.current) setTyped(asked);
    sent.current = asked;
  }, [asked]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      changeQuery({ q: typed });
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <search class={`search ${more}`}>
      <Icon name="search" />
      <input
        class="field"
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={LONGEST}
        value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
      />
    </search>
  );
}
