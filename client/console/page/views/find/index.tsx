// Where is it, and what became of it? Of one thing, or of a column copied out of a sheet.
import './find.css';
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { OUTCOME_WORDS } from '../../../../../activities/registers/words/outcome-words';
import { copyText } from '../../parts/copy';
import { DocumentNumber } from '../../parts/document-number';
import { Name } from '../../parts/name';
import { toClipboardTable } from '../../parts/rows/choose-rows';
import { OutcomeWord } from '../../parts/sign';
import { Empty, Failed, Loading } from '../../parts/states';
import type { Params } from '../../shell/address';
import { type Answer, ApiProblem, ask } from '../../shell/api';
import { useAsked } from '../../shell/asked';
import { tellNumber, tellTime } from '../../shell/format';
import { placeOfFound, splitQuestion } from '../../shell/found';
import { now, reader } from '../../shell/reader';
import { address, href, navigate } from '../../shell/router';
import { texts } from '../../shell/texts';
import { useTitle } from '../../shell/title';
import type { View } from '../../shell/view';

type Found = Answer<'GET /api/find'>['found'][number];

export const findView: View = { paths: ['/find/:q'], Show: ShowFind };

function ShowFind({ params }: { readonly params: Params }): JSX.Element {
  const words = texts.find;
  const question = params.q ?? '';
  // The same list for as long as the question is the same, so that drawing anew asks nothing again.
  const questions = useMemo(() => splitQuestion(question), [question]);
  useTitle(words.title);
  return (
    <div class="view find-view">
      <h1 tabIndex={-1}>{words.title}</h1>
      {questions.length > 1 ? (
        <Verdicts key={questions.join('\n')} questions={questions} />
      ) : (
        <One question={questions[0] ?? ''} />
      )}
    </div>
  );
}

function One({ question }: { readonly question: string }): JSX.Element {
  const words = texts.find;
  const asked = question === '' ? undefined : { query: { q: question } };
  const { data, problem, again } = useAsked('GET /api/find', asked);
  const only = data?.found.length === 1 ? data.found[0] : undefined;
  useEffect(() => {
    if (only !== undefined) navigate(placeOfFound(only), { replace: true });
  }, [only]);
  if (data === undefined)
    return problem === undefined ? <Loading /> : <Failed problem={problem} again={again} />;
  if (data.found.length === 0)
    return (
      <div class="panel-box">
        <Empty icon="search" title={words.none}>
          <p>
            <Name text={question} />
          </p>
          <p>{words.noneMeans}</p>
        </Empty>
      </div>
    );
  return (
    <>
      <p class="sentence">
        {words.several(tellNumber(data.found.length, reader()))} {data.more ? words.more : ''}
      </p>
      <Table rows={data.found.map(found => ({ question: '', found }))} />
    </>
  );
}

interface Row {
  readonly question: string;
  readonly found: Found | undefined;
}

const AT_ONCE = 4;

function Verdicts({ questions }: { readonly questions: readonly string[] }): JSX.Element {
  const words = texts.find;
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [problem, setProblem] = useState<ApiProblem | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    void askAll(questions, ended.signal, setRows).catch((error: unknown) => {
      if (error instanceof ApiProblem && !ended.signal.aborted) setProblem(error);
    });
    return () => ended.abort();
  }, [questions]);
  if (problem !== undefined) return <Failed problem={problem} again={() => location.reload()} />;
  const { left = '' } = address.value.query;
  const known = rows.filter(({ found }) => found !== undefined).length;
  const tell = (count: number) => tellNumber(count, reader());
  return (
    <>
      <p class="sentence">
        {rows.length < questions.length ? words.looking : words.verdicts(tell(known), tell(questions.length))}{' '}
        {/^\d{1,6}$/.test(left) ? `${words.left(tell(Number(left)))} ` : null}
        <button type="button" class="link-button" onClick={() => void copyText(asTable(rows))}>
          {words.copy}
        </button>
      </p>
      <Table rows={rows} />
    </>
  );
}

/**
 * Asks some at a time, and shows their rows in the order of the questions: those that were asked together are
 * drawn together, for each drawing is one of all rows. @throws ApiProblem
 */
async function askAll(
  questions: readonly string[],
  signal: AbortSignal,
  show: (rows: readonly Row[]) => void,
): Promise<void> {
  const rows: Row[] = [];
  for (let from = 0; from < questions.length; from += AT_ONCE) {
    const some = questions.slice(from, from + AT_ONCE);
    const answers = await Promise.all(some.map(q => ask('GET /api/find', { query: { q } }, signal)));
    if (signal.aborted) return;
    for (const [at, question] of some.entries())
      rows.push({ question, found: answers[at]?.found.find(({ kind }) => kind === 'document') });
    show([...rows]);
  }
}

function asTable(rows: readonly Row[]): string {
  return toClipboardTable(
    rows.map(({ question, found }) =>
      found?.kind === 'document'
        ? [
            question,
            OUTCOME_WORDS[found.outcome].word,
            found.label,
            found.revision,
            found.jobName,
            found.since,
          ]
        : [question, texts.find.none],
    ),
  );
}

function Table({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  const words = texts.find;
  const hasAsked = rows.some(({ question }) => question !== '');
  return (
    <div class="panel-box">
      <table class="found-table">
        <caption class="unseen">{words.table}</caption>
        <thead>
          <tr>
            {hasAsked ? <th scope="col">{words.columns.asked}</th> : null}
            <th scope="col">{words.columns.found}</th>
            <th scope="col">{words.columns.outcome}</th>
            <th scope="col">{words.columns.job}</th>
            <th scope="col">{words.columns.since}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ question, found }) => (
            <tr key={question + (found === undefined ? '' : placeOfFound(found))}>
              {hasAsked ? (
                <td>
                  <Name text={question} isCut />
                </td>
              ) : null}
              {found === undefined ? (
                <td colSpan={4} class="third">
                  {words.none}
                </td>
              ) : (
                <FoundCells found={found} />
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FoundCells({ found }: { readonly found: Found }): JSX.Element {
  const words = texts.find;
  const place = href(placeOfFound(found));
  const time = (at: string | null) => (at === null ? null : tellTime(at, now.value, reader()));
  if (found.kind === 'document')
    return (
      <>
        <td>
          <a href={place}>
            <DocumentNumber number={found.label} />
          </a>{' '}
          <bdi>{found.revision}</bdi>
        </td>
        <td>
          <OutcomeWord outcome={found.outcome} />
        </td>
        <td>
          <Name text={found.jobName} isCut />
        </td>
        <td class="nums third">{time(found.since)}</td>
      </>
    );
  const label =
    found.kind === 'job'
      ? words.jobOf(found.label)
      : words.jobsOf(found.label, tellNumber(found.jobs, reader()));
  return (
    <>
      <td colSpan={3}>
        <a href={place}>
          <Name text={label} />
        </a>
      </td>
      <td class="nums third">{found.kind === 'job' ? time(found.at) : null}</td>
    </>
  );
}
