// Judges what Temporal has answered.
import { tellCount } from '../../activities/registers/words/outcome-words';
import type { SeenRuns } from '../resume/look-at-runs';
import { countUnanswered } from '../resume/other-runs';
import { toDurationText } from '../session/terminal-text';
import { describeWaiting, toStrangeShareAdvice } from '../status/incident-text';
import { type Asked, type Finding, judgesOf } from './finding';
import { describeSkew, isSkewed } from './judge-clock';
import type { TemporalFacts } from './look-at-temporal';

/** Shorter than a weekend: then nobody can ask on Monday why a batch stopped on Friday. */
const SHORT_RETENTION_MS = 3 * 24 * 3_600_000;

export function judgeTemporal(facts: TemporalFacts, command: string): readonly Finding[] {
  const temporal = judgesOf('Temporal');
  if (facts.kind === 'away') {
    return [
      temporal.wrong(facts.why),
      judgesOf('Temporal, namespace and workers').notAsked('Temporal does not answer.'),
    ];
  }
  const { address, namespace, version, found } = facts;
  const where = `${address}, ${version === undefined ? 'version not told' : `version ${version}`}, namespace "${namespace}"`;
  if ('value' in found && found.value === 'no such namespace') {
    const todo = 'Create it, or correct TEMPORAL_NAMESPACE or temporal.namespace.';
    return [temporal.wrong(`${where}: there is no such namespace.`, todo)];
  }
  return [
    'why' in found ? temporal.wrong(`${where} cannot be described: ${found.why}`) : temporal.ok(`${where}.`),
    ...judgeRetention(facts),
    judgeAttributes(facts.missingAttributes),
    judgeClock(facts),
    ...judgeHttpApi(facts),
    judgeServed('workers', facts.serviceServed, 'the service', `Start one: ${command} worker`),
    ...judgeRuns(facts, command),
  ];
}

type Answers = Extract<TemporalFacts, { kind: 'there' }>;

function judgeRetention({ found, isEmbedded }: Answers): readonly Finding[] {
  const { ok, look, notAsked } = judgesOf('Temporal, retention');
  if ('why' in found || found.value === 'no such namespace') return [];
  const { retentionMs } = found.value;
  if (retentionMs === undefined) return [notAsked('it does not tell how long it remembers runs.')];
  const text = `runs that have ended are remembered for ${toDurationText(retentionMs)}.`;
  if (retentionMs >= SHORT_RETENTION_MS) return [ok(text)];
  const setting = isEmbedded
    ? 'temporal.embedded.retention'
    : '`temporal operator namespace update --retention`';
  return [
    look(text, `After a weekend nobody can ask why a run stopped: set it to some weeks by ${setting}.`),
  ];
}

function judgeAttributes(missing: Asked<readonly string[]>): Finding {
  const { ok, look, notAsked } = judgesOf('Temporal, search attributes');
  if ('why' in missing) return notAsked(`they cannot be listed: ${missing.why}`);
  if (missing.value.length === 0) return ok('all are there.');
  const todo = 'Each start registers them; where that is not allowed, let an administrator do it.';
  return look(`${missing.value.join(', ')} not there: runs can hardly be found by share or job.`, todo);
}

function judgeClock({ clock }: Answers): Finding {
  const { ok, look, notAsked } = judgesOf('clock of Temporal');
  if (clock === undefined) return notAsked('it does not tell how late it is.');
  if (!isSkewed(clock)) return ok('it shows the time of this host.');
  return look(
    `it is ${describeSkew(clock)}.`,
    'Set both by a time server: what hosts tell each other is dated by the clock of Temporal.',
  );
}

/** Judged for the embedded server only: any other has an administrator of its own. */
function judgeHttpApi({ isEmbedded, isHttpApiClosed }: Answers): readonly Finding[] {
  const { ok, wrong, notAsked } = judgesOf('Temporal, HTTP API');
  if (!isEmbedded) return [];
  if (isHttpApiClosed === undefined)
    return [notAsked('how the server was started cannot be seen from here.')];
  return [
    isHttpApiClosed
      ? ok('the embedded server was started with it closed.')
      : wrong(
          'the embedded server was started with it open: any web page could start runs.',
          'End it, and start Drawbridge again.',
        ),
  ];
}

/** Of shares that are configured here it is said with them whether a worker serves them. */
function judgeRuns({ runs, sharesServed }: Answers, command: string): readonly Finding[] {
  const { ok, look, notAsked } = judgesOf('runs');
  if ('why' in runs) return [notAsked(`how they stand is not told: ${runs.why}`)];
  const { running, others, unserved } = runs.value;
  const blocked = [...running, ...others].flatMap(({ progress }) => progress?.blocked ?? []);
  const [first] = blocked;
  const many = blocked.length === 1 ? '1 is' : `${blocked.length} are`;
  const unanswered = countUnanswered([...running, ...others]);
  const newest = describeNewest(runs.value);
  const noMore = newest === '' ? '' : ` No more than ${newest} were looked at.`;
  const todo = `How each stands: ${command} status`;
  return [
    ...(first === undefined
      ? []
      : [look(`${many} blocked: ${first.reason.text} ${first.reason.fix}${noMore}`, todo)]),
    ...(unanswered === 0
      ? []
      : [notAsked(`${tellCount(unanswered)} did not answer, or were not asked after those.`, todo)]),
    ...(first === undefined && unanswered === 0 ? [ok(`none says that it is blocked.${noMore}`)] : []),
    ...unserved.flatMap(({ share, ...waiting }) =>
      share === undefined || sharesServed.has(share)
        ? []
        : [
            judgesOf(`runs of share ${share}`).wrong(
              `no worker asks for their work: ${describeWaiting(waiting)}.`,
              toStrangeShareAdvice(command),
            ),
          ],
    ),
  ];
}

/** Which runs were looked at where that were not all of them; otherwise empty. */
function describeNewest({ limitedTo = {} }: SeenRuns): string {
  return [
    ...(limitedTo.batches === undefined ? [] : [`the newest ${tellCount(limitedTo.batches)} batches`]),
    ...(limitedTo.others === undefined ? [] : [`the newest ${tellCount(limitedTo.others)} other runs`]),
  ].join(' and ');
}

/** @param of whose work is asked for. */
export function judgeServed(
  check: string,
  served: Asked<boolean> | undefined,
  of: string,
  todo: string,
): Finding {
  const { ok, wrong, notAsked } = judgesOf(check);
  if (served === undefined) return notAsked('Temporal does not answer.');
  if ('why' in served) return notAsked(`who asks for the work of ${of} is not told: ${served.why}`);
  return served.value
    ? ok(`a worker asks for the work of ${of}.`)
    : wrong(`no worker asks for the work of ${of}.`, todo);
}
