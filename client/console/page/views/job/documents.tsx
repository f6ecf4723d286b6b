// The documents of a job: filters, the table, and beside it the one that is opened.
import type { JSX } from 'preact';
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { OUTCOME_WORDS, OUTCOMES } from '../../../../../activities/registers/words/outcome-words';
import type { JobHead, JobRow } from '../../../contract/jobs';
import { Chips } from '../../parts/chips';
import { type Chosen, NONE_CHOSEN, toClipboardTable } from '../../parts/choose-rows';
import { copyText } from '../../parts/copy';
import { Icon } from '../../parts/icons';
import { RowsTable } from '../../parts/rows-table';
import { sharedPart } from '../../parts/shared-part';
import { Sign } from '../../parts/sign';
import { Empty } from '../../parts/states';
import { fillPath, withQuery } from '../../shell/address';
import { tellNumber } from '../../shell/format';
import { useKeys } from '../../shell/keys';
import { may } from '../../shell/me';
import { reader } from '../../shell/reader';
import { address, changeQuery, navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { columnsOf } from './columns';
import { DocumentPanel } from './document-panel';
import { JobFacts } from './job-header';
import { labelOf, needsPerson, nextThatNeeds, showRows } from './shown-rows';
import { TableFoot } from './table-foot';

interface DocumentsProps {
  readonly head: JobHead;
  readonly rows: readonly JobRow[];
  /** Key of the row whose panel is open. */
  readonly opened: string | undefined;
}

const keyOf = ({ key }: JobRow) => key;

function markOf(row: JobRow): 'held' | 'set-apart' | undefined {
  return row.outcome === 'held' || row.outcome === 'set-apart' ? row.outcome : undefined;
}

export function Documents({ head, rows, opened }: DocumentsProps): JSX.Element {
  const words = texts.job;
  const { outcome = '', q = '', sort = '' } = address.value.query;
  const shown = useMemo(() => showRows(rows, { outcome, q, sort }), [rows, outcome, q, sort]);
  const [walked, setWalked] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<Chosen>(NONE_CHOSEN);
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const place = useRef<HTMLDivElement>(null);
  const active = opened ?? walked;
  const shared = useMemo(() => sharedPart(rows.map(({ number }) => number)), [rows]);
  const columns = useMemo(() => columnsOf(shared, rows), [shared, rows]);
  const path = fillPath('/jobs/:share/:job', { share: head.share, job: head.job });
  const go = (key: string | undefined, replace = false) => {
    const to = key === undefined ? path : `${path}/${encodeURIComponent(key)}`;
    navigate(withQuery(to, address.value.query), { replace });
  };
  const toGrid = () => place.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  const walk = (key: string) => {
    setWalked(key);
    if (opened !== undefined) go(key, true);
  };
  const close = () => {
    setWalked(opened);
    go(undefined);
    toGrid();
  };
  const step = (direction: 1 | -1) => {
    const from = shown.findIndex(({ key }) => key === active);
    const next = nextThatNeeds(shown, from < 0 && direction === -1 ? 0 : from, direction);
    if (next !== undefined) walk(next.key);
    toGrid();
  };
  const copy = () => {
    const those = chosen.keys.size === 0 ? [] : shown.filter(({ key }) => chosen.keys.has(key));
    if (those.length > 0) void copyText(asTable(those));
  };
  useKeys({
    N: () => step(1),
    'Shift+N': () => step(-1),
    A: () => {
      if (head.tally.held > 0 && may('answer', head.share))
        navigate(withQuery('/waiting', { job: `${head.share}/${head.job}` }));
    },
    ...(opened === undefined ? {} : { Escape: close }),
    ...(chosen.keys.size === 0 ? {} : { 'Ctrl+C': copy }),
  });
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  return (
    <>
      <div class="filter-row">
        <Chips
          label={words.filters}
          chosen={outcome}
          onChoose={value => changeQuery({ outcome: value })}
          chips={[
            { value: '', label: words.all, count: rows.length },
            ...OUTCOMES.filter(one => head.tally[one] > 0 || one === outcome).map(one => ({
              value: one,
              tone: `of-${one}`,
              count: head.tally[one],
              label: (
                <>
                  <Sign outcome={one} /> {OUTCOME_WORDS[one].word}
                </>
              ),
            })),
          ]}
        />
        <search class="search find-in-job">
          <Icon name="search" />
          <input
            class="field"
            type="search"
            aria-label={words.find}
            placeholder={words.find}
            value={q}
            onInput={event => changeQuery({ q: event.currentTarget.value })}
          />
        </search>
      </div>
      <JobFacts head={head} />
      <div class="job-body" ref={place}>
        <section class="panel-box table-box" aria-label={words.table}>
          {shown.length === 0 ? (
            <Empty title={words.noRow}>
              <p>{words.noRowMeans(tellNumber(rows.length, reader()))}</p>
              <button type="button" class="button" onClick={() => changeQuery({ q: '', outcome: '' })}>
                {words.clear}
              </button>
            </Empty>
          ) : (
            <RowsTable
              label={words.table}
              rows={shown}
              columns={columns}
              keyOf={keyOf}
              nameOf={labelOf}
              active={active}
              onActive={walk}
              onOpen={go}
              chosen={chosen}
              onChoose={setChosen}
              sort={sort}
              onSort={next => changeQuery({ sort: next })}
              markOf={markOf}
              onRange={onRange}
            />
          )}
          <TableFoot
            range={range}
            count={shown.length}
            sort={sort}
            chosen={chosen.keys.size}
            onCopy={copy}
            onClear={() => setChosen(NONE_CHOSEN)}
            hasNeedy={shown.some(needsPerson)}
          />
        </section>
        {opened === undefined ? null : (
          <DocumentPanel
            head={head}
            rowKey={opened}
            rows={shown}
            onGo={key => go(key, true)}
            onClose={close}
          />
        )}
      </div>
    </>
  );
}

function asTable(rows: readonly JobRow[]): string {
  const { columns } = texts.job;
  const head = [
    columns.row,
    columns.outcome,
    columns.number,
    columns.revision,
    columns.title,
    columns.reason,
  ];
  return toClipboardTable([
    head,
    ...rows.map(({ row, outcome, number, file, revision, title, reason }) => [
      row === null ? '' : String(row),
      OUTCOME_WORDS[outcome].word,
      number ?? file,
      revision,
      title,
      reason,
    ]),
  ]);
}
