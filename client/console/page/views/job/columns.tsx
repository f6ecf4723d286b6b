// The columns of a job's documents: ours, and those of its register that a person wants to see.

import { OUTCOME_WORDS } from '../../../../../activities/registers/words/outcome-words';
import type { JobRow } from '../../../contract/jobs';
import { DocumentNumber } from '../../parts/document-number';
import { Name, plain, Told } from '../../parts/name';
import type { Column } from '../../parts/rows/rows-table';
import { OutcomeWord } from '../../parts/sign';
import { tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { labelOf, needsPerson, OWN } from './shown-rows';

export interface JobColumn extends Column<JobRow> {
  /** As it is copied into a sheet. */
  readonly text: (row: JobRow) => string | null;
}

/** What a row is, and what became of it, is always shown. */
export const MAY_BE_HIDDEN = ['row', 'revision', 'title', 'reason', 'since'] as const;

/** @param own headers of the register's columns that `cells` of the rows are of */
export function columnsOf(
  shared: string,
  rows: readonly JobRow[],
  own: readonly string[],
): readonly JobColumn[] {
  const { columns } = texts.job;
  const hasRow = rows.some(({ row }) => row !== null);
  const hasTitle = rows.some(({ title }) => title !== null);
  return [
    {
      key: 'row',
      label: hasRow ? columns.row : '',
      isSortable: hasRow,
      track: '2.5rem',
      cell: ({ row }) => (row === null ? null : tellNumber(row, reader())),
      text: ({ row }) => (row === null ? null : String(row)),
    },
    {
      key: 'outcome',
      label: columns.outcome,
      track: '6.75rem',
      cell: ({ outcome }) => <OutcomeWord outcome={outcome} />,
      text: ({ outcome }) => OUTCOME_WORDS[outcome].word,
    },
    {
      key: 'number',
      label: columns.number,
      track: 'minmax(9rem, 16rem)',
      cell: row =>
        row.number === null ? (
          <Name text={labelOf(row)} isCut />
        ) : (
          <DocumentNumber number={row.number} shared={shared} />
        ),
      text: ({ number, file }) => number ?? file,
    },
    {
      key: 'revision',
      label: columns.revision,
      track: '2.75rem',
      cell: ({ revision }) => <bdi>{revision}</bdi>,
      text: ({ revision }) => revision,
    },
    ...(hasTitle ? [toNamed('title', columns.title, 'minmax(0, 1.2fr)', ({ title }) => title)] : []),
    ...own.map((header, at) => ({
      ...toNamed(`${OWN}${header}`, header, 'minmax(6rem, 1fr)', ({ cells }) => cells?.[at] ?? null),
      look: 'own',
    })),
    {
      key: 'reason',
      label: columns.reason,
      track: own.length === 0 ? 'minmax(0, 1.5fr)' : 'minmax(10rem, 1.5fr)',
      cell: row => {
        const told = tellReason(row);
        return (
          <span class={needsPerson(row) ? 'cut needy' : 'cut'} title={plain(told)}>
            <Told text={told} />
          </span>
        );
      },
      text: tellReason,
    },
    {
      key: 'since',
      label: columns.since,
      track: '4.75rem',
      cell: ({ since }) => (since === null ? null : tellTime(since, now.value, reader())),
      text: ({ since }) => since,
    },
  ];
}

function toNamed(key: string, label: string, track: string, text: JobColumn['text']): JobColumn {
  return {
    key,
    label,
    track,
    text,
    cell: row => {
      const told = text(row);
      return told === null ? null : <Name text={told} isCut />;
    },
  };
}

function tellReason(row: JobRow): string {
  return [row.reason, needsPerson(row) ? row.whatToDo : null].filter(Boolean).join(' ');
}
