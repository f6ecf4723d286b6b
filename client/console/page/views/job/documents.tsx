// The documents of a job: filters, the table, and beside it the one that is opened.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { OUTCOME_WORDS, OUTCOMES } from '../../../../../activities/registers/words/outcome-words';
import type { JobHead, JobRow } from '../../../contract/jobs';
import { Chips } from '../../parts/chips';
import { copyText } from '../../parts/copy';
import { type Chosen, NONE_CHOSEN, toClipboardTable } from '../../parts/rows/choose-rows';
import { RowsTable } from '../../parts/rows/rows-table';
import { SearchField } from '../../parts/search-field';
import { sharedPart } from '../../parts/shared-part';
import { Sign } from '../../parts/sign';
import { Empty } from '../../parts/states';
import { fillPath, withQuery } from '../../shell/address';
import { tellNumber } from '../../shell/format';
import { useKeys } from '../../shell/keys';
import { may } from '../../shell/me';
import { useMedia } from '../../shell/media';
import { preferences } from '../../shell/preferences';
import { reader } from '../../shell/reader';
import { address, changeQuery, navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { columnsOf, type JobColumn } from './columns';
import { ColumnsMenu } from './columns-menu';
import { DocumentPanel } from './document-panel';
import { JobFacts } from './job-header';
import { labelOf, needsPerson, nextThatNeeds, OWN, showRows, sortedBy } from './shown-rows';
import { TableFoot } from './table-foot';

interface DocumentsProps {
  readonly head: JobHead;
  readonly rows: readonly JobRow[];
  /** Headers that its registers have, and those that `cells` of the rows are of. */
  readonly own: readonly string[];
  readonly wanted: readonly string[];
  /** Key of the row whose panel is open. */
  readonly opened: string | undefined;
}

/** Least widths: of our columns together, and of each column of the register. */
const LEAST_REM = 50;
const OWN_REM = 6.75;

const keyOf = ({ key }: JobRow) => key;

function markOf(row: JobRow): 'held' | 'set-apart' | undefined {
  return row.outcome === 'held' || row.outcome === 'set-apart' ? row.outcome : undefined;
}

export function Documents({ head, rows, own, wanted, opened }: DocumentsProps): JSX.Element {
  const words = texts.job;
  const { outcome = '', q = '', sort = '' } = address.value.query;
  const shown = useMemo(
    () => showRows(rows, { outcome, q, sort, own: wanted }),
    [rows, outcome, q, sort, wanted],
  );
  const [walked, setWalked] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<Chosen>(NONE_CHOSEN);
  // A signal, so that only the foot is drawn anew: it changes with every frame while the table scrolls.
  const range = useSignal<readonly [number, number]>([0, 0]);
  const place = useRef<HTMLDivElement>(null);
  const active = opened ?? walked;
  const shared = useMemo(() => sharedPart(rows.map(({ number }) => number)), [rows]);
  const all = useMemo(() => {
    // Columns that were chosen for registers of other jobs.
    const isOther = (key: string) => key.startsWith(OWN) && !own.includes(key.slice(OWN.length));
    return columnsOf(shared, rows, wanted).filter(({ key }) => !isOther(key));
  }, [shared, rows, wanted, own]);
  const theirs = all.filter(({ key }) => key.startsWith(OWN)).length;
  const { hiddenColumns } = preferences.value;
  const isNarrow = useMedia('(max-width: 1180px)') || opened !== undefined;
  const columns = all.filter(({ key }) => !hiddenColumns.includes(key));
  const inSight = isNarrow ? columns.filter(({ key }) => key !== 'title') : columns;
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
  // What the filter hides is neither counted nor copied.
  const those = useMemo(() => shown.filter(({ key }) => chosen.keys.has(key)), [shown, chosen]);
  const copy = () => void copyText(asTable(columns, those));
  useKeys({
    N: () => step(1),
    'Shift+N': () => step(-1),
    A: () => {
      if (head.tally.held > 0 && may('answer', head.share))
        navigate(withQuery('/waiting', { job: `${head.share}/${head.job}` }));
    },
    ...(opened === undefined ? {} : { Escape: close }),
    ...(those.length === 0 ? {} : { 'Ctrl+C': copy }),
  });
  const onRange = useCallback((from: number, to: number) => {
    range.value = [from, to];
  }, []);
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
        <div class="job-find">
          <SearchField label={words.find} class="find-in-job" />
          <ColumnsMenu own={own} />
        </div>
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
              columns={inSight}
              leastRem={theirs === 0 ? 0 : LEAST_REM + theirs * OWN_REM}
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
            sortedBy={all.find(({ key }) => key === sortedBy(sort))?.label}
            chosen={those.length}
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
            onClose={close}
            onOtherKey={key => go(key, true)}
          />
        )}
      </div>
    </>
  );
}

function asTable(columns: readonly JobColumn[], rows: readonly JobRow[]): string {
  return toClipboardTable([
    columns.map(({ label }) => label),
    ...rows.map(row => columns.map(({ text }) => text(row))),
  ]);
}
