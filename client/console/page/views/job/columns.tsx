// The columns of a job's documents.

import type { JobRow } from '../../../contract/jobs';
import { DocumentNumber } from '../../parts/document-number';
import { Name, plain, Told } from '../../parts/name';
import type { Column } from '../../parts/rows-table';
import { OutcomeWord } from '../../parts/sign';
import { tellNumber, tellTime } from '../../shell/format';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';
import { labelOf, needsPerson } from './shown-rows';

export function columnsOf(shared: string, rows: readonly JobRow[]): readonly Column<JobRow>[] {
  const { columns } = texts.job;
  const hasRow = rows.some(({ row }) => row !== null);
  const hasTitle = rows.some(({ title }) => title !== null);
  return [
    {
      key: 'row',
      label: hasRow ? columns.row : '',
      isSortable: hasRow,
      cell: ({ row }) => (row === null ? null : tellNumber(row, reader())),
    },
    { key: 'outcome', label: columns.outcome, cell: ({ outcome }) => <OutcomeWord outcome={outcome} /> },
    {
      key: 'number',
      label: columns.number,
      cell: row =>
        row.number === null ? (
          <Name text={labelOf(row)} isCut />
        ) : (
          <DocumentNumber number={row.number} shared={shared} />
        ),
    },
    { key: 'revision', label: columns.revision, cell: ({ revision }) => <bdi>{revision}</bdi> },
    ...(hasTitle
      ? [
          {
            key: 'title',
            label: columns.title,
            cell: ({ title }: JobRow) => (title === null ? null : <Name text={title} isCut />),
          },
        ]
      : []),
    {
      key: 'reason',
      label: columns.reason,
      cell: row => {
        const told = [row.reason, needsPerson(row) ? row.whatToDo : null].filter(Boolean).join(' ');
        return (
          <span class={needsPerson(row) ? 'cut needy' : 'cut'} title={plain(told)}>
            <Told text={told} />
          </span>
        );
      },
    },
    {
      key: 'since',
      label: columns.since,
      cell: ({ since }) => (since === null ? null : tellTime(since, now.value, reader())),
    },
  ];
}
