// The head of a job: its name, the sentence, the sum as a bar, and how far it is.
import type { ComponentChildren, JSX } from 'preact';
import type { JobHead } from '../../../contract/jobs';
import { copyText } from '../../parts/copy';
import { Icon } from '../../parts/icons';
import { Menu, type MenuItem } from '../../parts/menu';
import { Name } from '../../parts/name';
import { Sign } from '../../parts/sign';
import { isStopped, TallyBar } from '../../parts/tally';
import { fillPath, withQuery } from '../../shell/address';
import { tellNumber, tellSize, tellTime } from '../../shell/format';
import { may } from '../../shell/me';
import { now, reader } from '../../shell/reader';
import { href } from '../../shell/router';
import { texts } from '../../shell/texts';
import { sentencesOf } from './verdict';

/** Of a note; of more it says how many. */
const NAMES_SHOWN = 20;

interface HeadProps {
  readonly head: JobHead;
}

export function JobHeader({ head }: HeadProps): JSX.Element {
  const words = texts.job;
  const [first, rest] = sentencesOf(head);
  return (
    <header class="job-head">
      <div class="view-head">
        <div>
          <h1 tabIndex={-1}>
            <Name text={head.name} />
          </h1>
          <p class="sentence">
            <strong>{first}</strong> {rest}
          </p>
        </div>
        <div class="actions">
          {head.kind === 'files' || head.batches.length === 0 ? null : (
            <a class="button" href={href(receiptPlace(head, 'sheet'))} download="">
              <Icon name="download" /> {head.endedAt === null ? words.receiptSoFar : words.receipt}
            </a>
          )}
          {head.tally.held > 0 && may('answer', head.share) ? (
            <a
              class="button primary"
              href={href(withQuery('/waiting', { job: `${head.share}/${head.job}` }))}
            >
              {words.answer(tellNumber(head.tally.held, reader()))}
            </a>
          ) : null}
          <Menu label={words.more} items={moreOf(head)} />
        </div>
      </div>
      <TallyBar tally={head.tally} isTall />
      {isStopped(head) ? (
        <p class="outage">
          <Name text={head.needs?.why ?? ''} />
        </p>
      ) : null}
      {head.outages.map(({ what, since }) => (
        <p key={what} class="outage">
          {texts.common.away(nameOfOutage(what), tellTime(since, now.value, reader()))}
        </p>
      ))}
    </header>
  );
}

/** How far it is, and where it came from. */
export function JobFacts({ head }: HeadProps): JSX.Element {
  return (
    <div class="job-facts">
      <div class="stages-row">
        <Stages head={head} />
        <p class="facts">
          <Facts head={head} />
        </p>
      </div>
      {head.notes.map(({ kind, names, count }) => {
        const shown = names.slice(0, NAMES_SHOWN);
        const more = count - shown.length;
        return (
          <p key={kind} class="small quiet">
            {texts.job.notes[kind]}: <Name text={shown.join(', ')} />
            {more > 0 ? texts.job.andMore(tellNumber(more, reader())) : null}
          </p>
        );
      })}
    </div>
  );
}

function nameOfOutage(what: JobHead['outages'][number]['what']): string {
  const { theKinds } = texts.operations;
  return { api: theKinds.service, storage: theKinds.storage, authentication: theKinds['sign-in'] }[what];
}

function receiptPlace({ share, job }: JobHead, format: 'sheet' | 'csv'): string {
  return fillPath('/api/receipts/:share/:job/:format', { share, job, format });
}

function moreOf(head: JobHead): readonly MenuItem[] {
  const { folders, batches } = head;
  const words = texts.job;
  return [
    ...(folders.length === 0
      ? []
      : [{ label: words.copyFolder, act: () => void copyText(folders.join('\n')) }]),
    ...(head.kind === 'files' || batches.length === 0
      ? []
      : [{ label: words.receiptCsv, href: href(receiptPlace(head, 'csv')) }]),
    ...(head.kind === 'folder' && head.endedAt !== null && may('answer', head.share)
      ? [
          {
            label: words.proof,
            href: href(fillPath('/api/proofs/:share/:job', { share: head.share, job: head.job })),
          },
        ]
      : []),
    ...(may('operate', head.share)
      ? batches.flatMap(({ batchId, workflowId, href: place }): readonly MenuItem[] => {
          if (workflowId === null) return [];
          if (place === null)
            return [{ label: words.copyRun(batchId), act: () => void copyText(workflowId) }];
          return [{ label: batches.length === 1 ? words.openRun : words.openRunOf(batchId), href: place }];
        })
      : []),
  ];
}

function Stages({ head: { stages, documents, tally } }: HeadProps): JSX.Element {
  const words = texts.job.stages;
  // What was there already or set apart went no further: a stage is over when all others have passed it.
  const whole = documents - tally['already-there'] - tally['set-apart'];
  const all = ['takenOver', 'checked', 'uploaded', 'analysed', 'submitted'] as const;
  return (
    <ol class="stages" aria-label={texts.job.stagesLabel}>
      {all.map(stage => (
        <li key={stage} class={stages[stage] === 0 ? 'is-ahead' : ''}>
          {stages[stage] === 0 ? null : (
            <span class={stages[stage] >= whole ? 'of-through' : 'of-on-the-way'}>
              <Sign outcome={stages[stage] >= whole ? 'through' : 'on-the-way'} />
            </span>
          )}
          {words[stage]} <b class="nums">{tellNumber(stages[stage], reader())}</b>
        </li>
      ))}
      <li class={stages.hasReceipt ? '' : 'is-ahead'}>
        {stages.hasReceipt ? (
          <span class="of-through">
            <Sign outcome="through" />
          </span>
        ) : null}
        {words.receipt}
      </li>
    </ol>
  );
}

function Facts({ head }: HeadProps): JSX.Element {
  const words = texts.job;
  const { droppedAt, by, share, register, sizeBytes } = head;
  const facts: ComponentChildren[] = [
    <>
      {words.dropped(tellTime(droppedAt, now.value, reader()))}
      {by === null ? null : (
        <>
          {' '}
          <bdi>{words.by(by)}</bdi>
        </>
      )}
    </>,
    <bdi>{share}</bdi>,
    register === null ? words.noRegister : <Name text={register} />,
    ...(sizeBytes === null ? [] : [tellSize(sizeBytes, reader())]),
  ];
  return <>{facts.flatMap((fact, at) => (at === 0 ? [fact] : [' · ', fact]))}</>;
}
