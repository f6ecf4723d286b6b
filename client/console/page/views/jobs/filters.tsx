// Which jobs are shown, besides their state. All of it stands in the address.
import type { JSX } from 'preact';
import { SearchField } from '../../parts/search-field';
import { daysBack, tellLongDay } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { address, changeQuery } from '../../shell/router';
import { texts } from '../../shell/texts';
import type { JobsPage } from './order';

const DAYS = 31;

/** The days of the last month, and the one in the address. */
function listDays(chosen: string | undefined): readonly string[] {
  const days = daysBack(now.value, DAYS, reader());
  return chosen === undefined || days.includes(chosen) ? days : [...days, chosen];
}

export function Filters({ page }: { readonly page: JobsPage | undefined }): JSX.Element {
  const words = texts.jobs;
  const { day, by, share } = address.value.query;
  const shares = page?.shares ?? [];
  const people = page?.people ?? [];
  return (
    <div class="filters">
      <SearchField label={words.search} />
      <select
        class="choice"
        aria-label={words.day}
        value={day ?? ''}
        onChange={event => changeQuery({ day: event.currentTarget.value })}
      >
        <option value="">{words.anyDay}</option>
        {listDays(day).map(one => (
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
