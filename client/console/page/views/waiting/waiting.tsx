// The view: its sentence, its three kinds of questions, the jobs to choose from.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { HeldRow, Question, SheetTold, WaitingPage } from '../../../contract/waiting';
import { Chips } from '../../parts/chips';
import { Name } from '../../parts/name';
import { Empty, Failed, Loading } from '../../parts/states';
import { type Fields, useFields } from '../../parts/values/use-fields';
import { withQuery } from '../../shell/address';
import { tellDate, tellNumber, tellTime } from '../../shell/format';
import { may, me } from '../../shell/me';
import { now, reader } from '../../shell/reader';
import { address, changeQuery, href } from '../../shell/router';
import { texts as catalogue } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import { Decisions } from './decide/decisions';
import { useWaitingPage } from './model/use-waiting';
import { Refused } from './refused';
import { Sheets } from './sheets';
import { useAnswers } from './use-answers';
import { Values } from './values';
import './waiting.css';
import { write } from './model/edits';

const texts = catalogue.waiting;

type Kind = 'values' | 'reviews' | 'same';
const KINDS: readonly Kind[] = ['values', 'reviews', 'same'];
const KIND_OF: Readonly<Record<Question, Kind>> = {
  'missing-values': 'values',
  'workflow-conflict': 'reviews',
  duplicate: 'same',
  overtaken: 'same',
};
const NO_ROWS: readonly HeldRow[] = [];
/** Of a sheet, with why; of more it says how many. */
const MOST_REFUSED = 5;

/** @param kind as the address says it; without one, the first kind that has questions is shown. */
export function Waiting({ kind: given }: { readonly kind: string | undefined }) {
  const asked = useWaitingPage();
  const { data: page, problem, isSlow } = asked;
  const latest = useRef(asked.again);
  latest.current = asked.again;
  const again = useCallback(() => latest.current(), []);
  const answers = useAnswers(again, page);
  const [sheetTold, setSheetTold] = useState('');
  const rows = page?.rows ?? NO_ROWS;
  const shares = useMemo(() => [...new Set(rows.map(({ share }) => share))], [rows]);
  const fields = useFields(shares);
  // A new function whenever the roles change, to judge the rows anew: they may be known later than the rows.
  const roles = me.value?.roles;
  const mayAnswer = useCallback((share: string) => roles !== undefined && may('answer', share), [roles]);
  const job = address.value.query.job ?? '';
  const begun = useRef<Kind | undefined>(undefined);
  if (page !== undefined) begun.current ??= firstKind(rows.filter(row => isOfJob(row, job)));
  const kind = KINDS.find(one => one === given) ?? begun.current ?? 'values';
  const ofKind = useMemo(() => rows.filter(row => KIND_OF[row.question] === kind), [rows, kind]);
  const shown = ofKind.filter(row => isOfJob(row, job));
  const names = useMemo(
    () => new Map(rows.map(row => [`${row.batchId} ${row.index}`, row.number ?? row.file])),
    [rows],
  );
  const known = useRef(new Map<string, string>());
  for (const [key, name] of names) known.current.set(key, name);
  useTitle(ofKind.length === 0 ? texts.title : `${tellNumber(rows.length, reader())} · ${texts.title}`);

  const fillFromSheet = (told: readonly SheetTold[]) => {
    const cells = told.flatMap(({ rows: filled }) =>
      filled.flatMap(({ share, batchId, index, values }) =>
        Object.entries(values).map(([field, text]) => ({ id: `${share}/${batchId}/${index}`, field, text })),
      ),
    );
    answers.change(before => write(before, cells));
    setSheetTold(tellSheet(told));
  };

  if (page === undefined)
    return (
      <div class="view">
        <h1 tabIndex={-1}>{texts.title}</h1>
        {problem !== undefined ? <Failed problem={problem} again={asked.again} /> : isSlow && <Loading />}
      </div>
    );
  const why =
    (page.mayAnswer ? undefined : (page.away ?? texts.away)) ??
    (roles === undefined || shares.some(mayAnswer) || shares.length === 0 ? undefined : texts.noRole);
  return (
    <div class="view waiting">
      <header class="view-head">
        <div>
          <h1 tabIndex={-1}>{texts.title}</h1>
          <Sentence kind={kind} rows={shown} all={rows.length} />
        </div>
        {kind === 'values' && ofKind.length > 0 && (
          <Sheets shares={shares} mayAnswer={mayAnswer} take={fillFromSheet} tell={setSheetTold} />
        )}
      </header>
      <Tabs kind={kind} rows={rows} />
      <div class="waiting-bar">
        <JobChips page={page} rows={ofKind} job={job} />
        {kind === 'values' && ofKind.length > 0 && <KeyHints />}
      </div>
      {page.away !== null && <p class="of-held">{page.away}</p>}
      {fields.isAsked && ofKind.length > 0 && <p class="quiet">{texts.fieldsAsked}</p>}
      <p role="status" class={sheetTold === '' ? 'unseen' : 'waiting-note'}>
        {sheetTold}
      </p>
      {answers.told !== undefined && answers.told.refused.length > 0 && (
        <Refused
          refused={answers.told.refused}
          nameOf={({ batchId, index }) => known.current.get(`${batchId} ${index}`) ?? String(index)}
          close={answers.forgetTold}
        />
      )}
      {kind === 'values' ? (
        <Values page={page} job={job} fields={fields} answers={answers} mayAnswer={mayAnswer} why={why} />
      ) : (
        <Asked
          kind={kind}
          rows={shown.filter(row => !answers.isMine(row))}
          page={page}
          fields={fields}
          answers={answers}
          mayAnswer={mayAnswer}
        />
      )}
    </div>
  );
}

function isOfJob({ share, job }: HeldRow, wanted: string): boolean {
  return wanted === '' || `${share}/${job}` === wanted;
}

function firstKind(rows: readonly HeldRow[]): Kind | undefined {
  return KINDS.find(kind => rows.some(row => KIND_OF[row.question] === kind));
}

function KeyHints() {
  return (
    <p class="waiting-keys">
      <span>
        <kbd>Ctrl V</kbd> {texts.keys.paste}
      </span>
      <span>
        <kbd>Ctrl D</kbd> {texts.keys.fillDown}
      </span>
      <span>
        <kbd>Ctrl S</kbd> {texts.keys.save}
      </span>
      <span>
        <kbd>N</kbd> {texts.keys.next}
      </span>
    </p>
  );
}

interface AskedProps {
  readonly kind: 'reviews' | 'same';
  readonly rows: readonly HeldRow[];
  readonly page: WaitingPage;
  readonly fields: Fields;
  readonly answers: ReturnType<typeof useAnswers>;
  readonly mayAnswer: (share: string) => boolean;
}

function Asked({ kind, rows, page, fields, answers, mayAnswer }: AskedProps) {
  const { told, problem } = answers;
  return (
    <>
      <p role="status" class={problem === undefined ? 'quiet' : 'of-set-apart'}>
        {problem ??
          (told === undefined || told.taken.length === 0
            ? ''
            : told.isSetApart
              ? texts.foot.setApart(told.taken.length)
              : texts.foot.taken(told.taken.length))}
      </p>
      {rows.length === 0 ? (
        <Empty title={texts.nothingHere} />
      ) : (
        <Decisions
          kind={kind}
          rows={rows}
          fields={fields}
          conflicts={page.conflicts}
          mayDecide={share => page.mayAnswer && mayAnswer(share)}
          isSaving={answers.isSaving}
          send={answers.send}
        />
      )}
    </>
  );
}

const byText = (one: string, other: string) => (one < other ? -1 : 1);

interface SentenceProps {
  readonly kind: Kind;
  readonly rows: readonly HeldRow[];
  readonly all: number;
}

function Sentence({ kind, rows, all }: SentenceProps) {
  if (rows.length === 0) return all === 0 ? null : <p class="sentence">{texts.nothingHere}</p>;
  const oldest = rows.map(({ since }) => since).sort(byText)[0] ?? '';
  const until = rows.map(row => row.until).sort(byText)[0] ?? '';
  return (
    <p class="sentence">
      <strong>{texts.waitFor[kind](rows.length)}</strong>
      {texts.oldest(tellTime(oldest, now.value, reader()))}
      {texts.setApartBy(tellDate(until, reader(), { withYear: false }))}
    </p>
  );
}

interface TabsProps {
  readonly kind: Kind;
  readonly rows: readonly HeldRow[];
}

function Tabs({ kind, rows }: TabsProps) {
  return (
    <nav class="waiting-tabs" aria-label={texts.kinds}>
      {KINDS.map(one => {
        const count = rows.filter(row => KIND_OF[row.question] === one).length;
        const to = withQuery(`/waiting/${one}`, address.value.query);
        return (
          <a key={one} href={href(to)} aria-current={one === kind ? 'page' : undefined}>
            {texts.tabs[one]}{' '}
            <b class={count > 0 ? 'waiting-badge nums some' : 'waiting-badge nums'}>{count}</b>
          </a>
        );
      })}
    </nav>
  );
}

interface JobChipsProps {
  readonly page: WaitingPage;
  readonly rows: readonly HeldRow[];
  readonly job: string;
}

/** The jobs that have questions of this kind, to choose one of them. */
function JobChips({ page, rows, job }: JobChipsProps) {
  const counts = new Map<string, number>();
  for (const row of rows)
    counts.set(`${row.share}/${row.job}`, (counts.get(`${row.share}/${row.job}`) ?? 0) + 1);
  useEffect(() => {
    // A job that has no question any more is no filter, either.
    if (job !== '' && !page.jobs.some(each => `${each.share}/${each.job}` === job)) changeQuery({ job: '' });
  }, [job, page]);
  if (counts.size === 0) return null;
  return (
    <Chips
      label={texts.jobs}
      chosen={job}
      onChoose={value => changeQuery({ job: value })}
      chips={[
        { value: '', label: texts.allJobs },
        ...page.jobs.flatMap(({ share, job: id, name }) => {
          const count = counts.get(`${share}/${id}`);
          return count === undefined
            ? []
            : [{ value: `${share}/${id}`, label: <Name text={name} isCut />, count }];
        }),
      ]}
    />
  );
}

function tellSheet(told: readonly SheetTold[]): string {
  const count = told.reduce((sum, { rows }) => sum + rows.length, 0);
  const unlisted = told.reduce((sum, each) => sum + each.unlisted, 0);
  const unread = [...new Set(told.flatMap(each => each.unread))];
  const refused = told.flatMap(each => each.refused.map(({ document, why }) => `${document}: ${why}`));
  return [
    count === 0 ? texts.sheet.nothing : texts.sheet.read(count),
    unlisted === 0 || count === 0 ? '' : texts.sheet.unlisted(unlisted),
    unread.length === 0 ? '' : texts.sheet.unread(unread.join(', ')),
    ...refused.slice(0, MOST_REFUSED),
    refused.length > MOST_REFUSED ? texts.sheet.moreRefused(refused.length - MOST_REFUSED) : '',
  ]
    .filter(text => text !== '')
    .join(' ');
}
