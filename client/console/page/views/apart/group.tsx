// One reason, or one job: what is wrong with its rows, what cures them, and the buttons for all of them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApartRow } from '../../../contract/apart';
import { DocumentNumber } from '../../parts/document-number';
import { Icon } from '../../parts/icons';
import { Name } from '../../parts/name';
import { fillPath } from '../../shell/address';
import { tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { jobOfAll, keyOf, mayAct, type ShownGroup } from './groups';

interface GroupProps {
  readonly group: ShownGroup;
  readonly shared: string;
  readonly by: 'reason' | 'job';
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (rows: readonly ApartRow[], isOn: boolean) => void;
  readonly onAgain: (rows: readonly ApartRow[]) => void;
  readonly onCorrect: (rows: readonly ApartRow[]) => void;
  readonly onReplace: (row: ApartRow) => void;
}

/** How many rows are drawn at first; more of them when somebody asks. */
const FIRST = 100;

export function GroupPart(props: GroupProps): JSX.Element {
  const { group, by, selected, onToggle } = props;
  const words = texts.apart;
  const [isOpen, setOpen] = useState(true);
  const [most, setMost] = useState(FIRST);
  const { rows, title } = group;
  const [first] = rows;
  const mine = rows.filter(mayAct);
  const on = mine.filter(row => selected.has(keyOf(row))).length;
  return (
    <section class="apart-group">
      <header>
        <button
          type="button"
          class="button bare"
          aria-expanded={isOpen}
          aria-label={isOpen ? words.shut(title) : words.open(title)}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
        </button>
        {mine.length > 0 ? (
          <input
            type="checkbox"
            class="check check-all"
            aria-label={words.selectAll(title)}
            checked={on === mine.length}
            indeterminate={on > 0 && on < mine.length}
            onChange={event => onToggle(mine, event.currentTarget.checked)}
          />
        ) : null}
        <div class="apart-why">
          <h2>
            {first !== undefined && group.isJob ? <JobName row={first} /> : title}{' '}
            <span class="badge apart">{tell(rows.length)}</span>
          </h2>
          <Why group={group} />
        </div>
        <Actions {...props} />
      </header>
      {isOpen ? (
        <ul class="apart-rows">
          {rows.slice(0, most).map(row => (
            <RowPart
              key={keyOf(row)}
              row={row}
              {...props}
              showsReason={by === 'job' || group.cause === null}
            />
          ))}
          {rows.length > most ? (
            <li>
              <button type="button" class="link-button" onClick={() => setMost(most + 10 * FIRST)}>
                {texts.common.of(tell(most), tell(rows.length))}: {texts.common.more}
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </section>
  );
}

function Why({ group: { cause, cure, stands } }: { readonly group: ShownGroup }): JSX.Element | null {
  if (cause === null && cure === null && stands === null) return null;
  return (
    <p class="quiet">
      {[cause, cure].filter(text => text !== null).join(' ')}
      {stands === null ? null : (
        <span class="apart-stands">
          {texts.apart.stands} {stands}
        </span>
      )}
    </p>
  );
}

function Actions({ group: { rows, isJob }, onAgain, onCorrect }: GroupProps): JSX.Element {
  const words = texts.apart;
  const job = jobOfAll(rows);
  const mine = rows.filter(mayAct);
  return (
    <div class="actions">
      {isJob && job !== undefined ? (
        <a
          class="button"
          download
          href={href(fillPath('/api/receipts/:share/:job/sheet', { share: job.share, job: job.job }))}
        >
          <Icon name="download" /> {words.asSheet}
        </a>
      ) : null}
      {job !== undefined && mayAct(job) ? (
        <button type="button" class="button" onClick={() => onCorrect(rows)}>
          {words.correct}
        </button>
      ) : null}
      {mine.length > 0 ? (
        <button type="button" class="button" onClick={() => onAgain(mine)}>
          {words.tryAgain(tell(mine.length))}
        </button>
      ) : null}
    </div>
  );
}

interface RowProps extends GroupProps {
  readonly row: ApartRow;
  readonly showsReason: boolean;
}

function RowPart({ row, group, shared, selected, onToggle, onReplace, showsReason }: RowProps): JSX.Element {
  const words = texts.apart;
  const { number, revision, title, file, share, job } = row;
  return (
    <li class="apart-row">
      {mayAct(row) ? (
        <input
          type="checkbox"
          class="check"
          aria-label={words.select(number ?? file)}
          checked={selected.has(keyOf(row))}
          onChange={event => onToggle([row], event.currentTarget.checked)}
        />
      ) : null}
      <span class="apart-name">
        {number === null ? <Name text={file} isCut /> : <DocumentNumber number={number} shared={shared} />}
      </span>
      <span class="apart-rev">{revision === null ? null : <Name text={revision} isCut />}</span>
      <span class="apart-title">
        {title === null ? null : <Name text={title} isCut />}
        {showsReason ? (
          <span class="quiet">{[row.reason, group.cure === null ? row.whatToDo : ''].join(' ')}</span>
        ) : null}
      </span>
      <span class="apart-job">
        {group.isJob ? null : (
          <>
            <JobName row={row} />{' '}
          </>
        )}
        {row.row === null ? null : words.row(tell(row.row))}
      </span>
      <span class="apart-since">{tellTime(row.since, now.value, reader())}</span>
      <span class="apart-way">
        {row.takesFile && mayAct(row) ? (
          <button
            type="button"
            class="link-button"
            aria-label={words.replaceOf(number ?? file)}
            onClick={() => onReplace(row)}
          >
            {words.replace}
          </button>
        ) : null}
        <a href={href(fillPath('/jobs/:share/:job/:row', { share, job, row: row.key }))}>{words.way}</a>
      </span>
    </li>
  );
}

function JobName({ row: { isJob, job, jobName, share } }: { readonly row: ApartRow }): JSX.Element {
  if (!isJob) return <Name text={texts.apart.looseFiles(jobName)} />;
  return (
    <a href={href(fillPath('/jobs/:share/:job', { share, job }))}>
      <Name text={jobName} />
    </a>
  );
}

function tell(count: number): string {
  return tellNumber(count, reader());
}
