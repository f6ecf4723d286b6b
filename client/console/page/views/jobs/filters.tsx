// Which jobs are shown, besides their state. All of it stands in the address.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../parts/icons';
import { dayOf, tellLongDay } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { address, changeQuery } from '../../shell/router';
import { texts } from '../../shell/texts';
import type { JobsPage } from './order';

const TYPED_MS = 250;
const DAYS = 31;
const DAY_MS = 86_400_000;

/** The last month, and that of the address. */
function daysBack(chosen: string | undefined): readonly string[] {
  const days = Array.from({ length: DAYS }, (_, back) =>
    dayOf(new Date(now.value.getTime() - back * DAY_MS), reader()),
  );
  return chosen === undefined || days.includes(chosen) ? days : [...days, chosen];
}

export function Filters({ page }: { readonly page: JobsPage | undefined }): JSX.Element {
  const words = texts.jobs;
  const { day, by, share } = address.value.query;
  const shares = page?.shares ?? [];
  const people = page?.people ?? [];
  return (
    <div class="filters">
      <SearchField />
      <select
        class="choice"
        aria-label={words.day}
        value={day ?? ''}
        onChange={event => changeQuery({ day: event.currentTarget.value })}
      >
        <option value="">{words.anyDay}</option>
        {daysBack(day).map(one => (
          <option key={one} value={one}>
            {tellLongDay(`${one}T12:00:00Z`, now.value, { ...reader(), zone: 'UTC' })}
          </option>
        ))}
      </select>
      {people.length === 0 && by === undefined ? null : (
        <select
          class="choice"
          aria-label={words.by}
          value={by ?? ''}
          onChange={event => changeQuery({ by: event.currentTarget.value })}
        >
          <option value="">{words.anyone}</option>
          {[...new Set([...people, ...(by === undefined ? [] : [by])])].map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {shares.length < 2 ? null : (
        <select
          class="choice"
          aria-label={words.share}
          value={share ?? ''}
          onChange={event => changeQuery({ share: event.currentTarget.value })}
        >
          <option value="">{words.anyShare}</option>
          {shares.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function SearchField(): JSX.Element {
  const words = texts.jobs;
  const asked = address.value.query['q'] ?? '';
  const [typed, setTyped] = useState(asked);
  useEffect(() => setTyped(asked), [asked]);
  useEffect(() => {
    if (typed === asked) return;
    const timer = setTimeout(() => changeQuery({ q: typed.slice(0, 200) }), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, asked]);
  return (
    <search class="search">
      <Icon name="search" />
      <input
        class="field"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
      />
    </search>
  );
}
