// An observation from its type's name to closed: resolved, made with its files, answered, submitted for
// review, closed (specification, Observations; Observation status).
import {
  type ApplicationFailure,
  condition,
  continueAsNew,
  log,
  patched,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AttachFilesInput,
  ObservationActivities,
  ObservationFileActivities,
  ObservationView,
  ReadObservationInput,
} from '../../activities';
import { type Reason, shareTaskQueue } from '../contract';
import { ServiceCalls } from '../run/activity-calls';
import { asking } from '../run/asking';
import { parseInput } from '../run/parse-input';
import { requestRefused, withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import { openDoor } from './knock-at-door';
import {
  type ObservationInput,
  type ObservationProgress,
  type ObservationResult,
  observationInput,
  observationProgressQuery,
} from './observation-contract';
import { type Message, ObservationInbox } from './observation-inbox';

const EXAMPLE = {
  companyId: '5001',
  projectId: '7001',
  type: 'Safety Hazard',
  name: 'Open edge at axis C',
  description: 'The guard rail is missing between axes C and D.',
  priority: 'High',
  assignee: 'Ada Ashby',
  share: 'tender',
  attachments: ['axis-c.jpg'],
};
/** Somebody may close or delete the item in the service: looked at this often while we wait. */
const LOOK_EVERY = '6 hours';
const LOOK_FOR_FILES = '1 minute';
/** As many of those that are there already are named. */
const NAMED_TWINS = 5;
/** A comment that could not be logged is noted up to here; whole, it is in the run's history. */
const MOST_NOTED_UNITS = 500;

interface Work {
  readonly calls: ServiceCalls<ObservationActivities>;
  /** For activities that need the files of the share; the same as `calls` where there is none. */
  readonly fileCalls: ServiceCalls<ObservationFileActivities>;
  readonly progress: RunProgress;
  readonly project: { readonly companyId: string; readonly projectId: string };
  readonly input: ReturnType<typeof observationInput.parse>;
}

type Ending = Pick<ObservationResult, 'outcome'>;
type Made = ObservationView & Pick<ObservationResult, 'missingFiles'>;

export async function observationWorkflow(rawInput: ObservationInput): Promise<ObservationResult> {
  const input = parseInput(observationInput, rawInput, EXAMPLE);
  const progress = new RunProgress(`Observation "${input.name}"`, input.share);
  const inbox = new ObservationInbox(progress, input.share !== undefined);
  const calls = new ServiceCalls<ObservationActivities>();
  const fileCalls =
    input.share === undefined
      ? calls
      : new ServiceCalls<ObservationFileActivities>(shareTaskQueue(input.share));
  calls.whenBlocked(progress);
  fileCalls.whenBlocked(progress);
  const project = { companyId: input.companyId, projectId: input.projectId };
  const work: Work = { calls, fileCalls, progress, project, input };
  let toClose: ObservationProgress['made'];
  setHandler(
    observationProgressQuery,
    () => ({ ...progress.report, ...(toClose === undefined ? {} : { made: toClose }) }),
    { description: 'How far it is, what it waits for, and what is made.' },
  );
  return await withRefusalsExplained(async () => {
    const made: Made =
      input.observationId === undefined ? await make(work) : await find(work, input.observationId);
    const { id, number, missingFiles } = made;
    const missing = missingFiles === undefined ? {} : { missingFiles };
    let ending: Ending = { outcome: 'created' };
    if (input.until === 'created') {
      await takeLastWords(inbox, undefined, said => respond(work, id, said));
    } else {
      await openDoor(project.projectId, id);
      toClose = { id, ...missing };
      ending = await carryToClosed(work, made, inbox);
    }
    progress.tell(`Ended: ${ending.outcome}`);
    log.info(`Observation ${id}: ${ending.outcome}`, {
      event: 'observation',
      observationId: id,
      outcome: ending.outcome,
    });
    return { observationId: id, number, ...ending, ...missing, notes: progress.notes };
  });
}

async function find(work: Work, id: string): Promise<Made> {
  // A run that goes on in place of a long one has its files behind it, and knows that the item was there.
  const isFirst = workflowInfo().continuedFromExecutionRunId === undefined;
  const present = await look(work, id, isFirst ? { isNamed: true } : {});
  if (present === null) throw requestRefused(`There is no observation ${id} in the project.`);
  const { attachments, missingFiles } = work.input;
  if (attachments !== undefined && isFirst && patched('files-are-attached-to-what-is-there')) {
    const others = present.attachmentNames;
    return noteMissing(work, present, await completeFiles(work, id, attachments, { others }));
  }
  return noteMissing(work, present, missingFiles);
}

/** Nothing is made before every name has led to an id. */
async function make(work: Work): Promise<Made> {
  const { calls, fileCalls, progress, project, input } = work;
  progress.tell('Finding type and people');
  const resolved = await calls.service.resolveObservation(
    () => ({ project, type: input.type, assignee: input.assignee, distribution: input.distribution }),
    'Find type and people by their names',
  );
  if (resolved.kind === 'unresolved') throw await refuseWhole(work, resolved.reasons.map(toLine));
  const { typeId, assigneeId, distributionMemberIds } = resolved;
  const { name, description, priority, dueDate, locationId, tradeId, number, personal } = input;
  const fields = {
    ...{ name, typeId, description, priority, dueDate, assigneeId, distributionMemberIds },
    ...{ locationId, tradeId, number, isPersonal: personal },
  };
  // What looks the same and is there already is not ours; what appears from here on is.
  const isToStop = input.ifThere === 'stop';
  const knownIds = await calls.service.findTwins(
    () => ({ project, fields: { name, typeId, description }, ...(isToStop ? { isToStop } : {}) }),
    'See what looks the same already',
  );
  if (isToStop && knownIds.length > 0) throw await refuseWhole(work, [describeTwins(knownIds)]);
  progress.tell('Making the observation');
  const attachments = input.attachments ?? [];
  const made = await fileCalls.service.createObservation(
    () => ({ project, fields, validate: input.validate === true, knownIds, attachments, asked: asking() }),
    `Make the observation with ${attachments.length} files`,
  );
  if (made.kind === 'refused') throw requestRefused(toLine(made.reason));
  const { observation } = made;
  progress.note(`Observation ${observation.id} is there.`);
  if (made.kind === 'found' && made.alike !== undefined) {
    progress.note(
      `${nameSome(made.alike)} came at the same time and looks the same: see whether it was made twice.`,
    );
  }
  if (attachments.length === 0) return observation;
  return noteMissing(
    work,
    observation,
    await completeFiles(work, observation.id, attachments, { seen: observation }),
  );
}

function noteMissing({ progress }: Work, item: ObservationView, missingFiles: string | undefined): Made {
  if (missingFiles === undefined) return item;
  progress.note(`Files are missing: ${missingFiles}`);
  return { ...item, missingFiles };
}

/**
 * The refusal, with what is wrong with the files as well: who starts again does it once. Where nobody tells
 * that within a minute, as while the share is away, it goes without.
 */
async function refuseWhole(work: Work, faults: readonly string[]): Promise<ApplicationFailure> {
  const { attachments } = work.input;
  if (attachments === undefined || !patched('files-are-told-beside-other-faults'))
    return requestRefused(faults.join('\n'));
  const ofFiles = await Promise.race([
    work.fileCalls.service.lookForAttachments(() => ({ attachments }), 'See whether the files can be sent'),
    sleep(LOOK_FOR_FILES).then(() => []),
  ]);
  return requestRefused([...faults, ...ofFiles.map(toLine)].join('\n'));
}

function toLine({ text, fix }: Reason): string {
  return `${text} ${fix}`;
}

/** Short enough to stand whole in a row of what an import tells. */
function describeTwins(ids: readonly string[]): string {
  return `There already, and looks the same: ${nameSome(ids)}. Give one as observationId, or make name or description differ; with "ifThere": "make" another is made.`;
}

function nameSome(ids: readonly string[]): string {
  const more = ids.length > NAMED_TWINS ? ` and ${ids.length - NAMED_TWINS} more` : '';
  return `${ids.slice(0, NAMED_TWINS).join(', ')}${more}`;
}

/** Why not all files are attached; undefined: they are. */
async function completeFiles(
  work: Work,
  id: string,
  attachments: readonly string[],
  known: Pick<AttachFilesInput, 'others' | 'seen'>,
): Promise<string | undefined> {
  const { fileCalls, progress, project } = work;
  const result = await fileCalls.service.attachFiles(
    () => ({ project, id, attachments, ...known, asked: asking() }),
    'See that all files are attached',
  );
  if (result.kind === 'refused') return `${result.reason.text} ${result.reason.fix}`;
  progress.note(`${result.observation.attachmentNames.length} files are attached.`);
  return undefined;
}

async function carryToClosed(
  work: Work,
  { id, missingFiles, status }: Made,
  inbox: ObservationInbox,
): Promise<Ending> {
  const { progress } = work;
  let told = progress.resumes;
  // Where it stands tells, and not who brought it there: this run may go on in place of one that was ended.
  const isForReview = (now: ObservationView['status']) =>
    now === 'ready_for_review' && patched('who-brought-it-to-review-does-not-matter');
  let isInReview = isForReview(status);
  // Waiting for months fills a history; the run begins anew where it stands.
  const isLong = () => workflowInfo().continueAsNewSuggested && !inbox.hasMessages && !isInReview;
  for (;;) {
    progress.tell(
      isInReview
        ? `Observation ${id} is in review; waits for the signal "reviewed"`
        : `Observation ${id} is open; waits for the signal "workDone"`,
    );
    // What made the history long may be behind us: the server says so only with a task that comes after.
    if (!(isLong() && patched('a-long-run-goes-on-before-it-waits'))) {
      await condition(() => inbox.hasMessages || progress.resumes !== told, LOOK_EVERY);
    }
    // A `resume` that comes while the item is looked at leads to one more look.
    told = progress.resumes;
    if (isLong()) {
      await continueAsNew<typeof observationWorkflow>({
        ...work.input,
        observationId: id,
        // The next run looks at no file any more, and its result has to say it all the same.
        ...(missingFiles === undefined ? {} : { missingFiles }),
      });
    }
    const message = inbox.next();
    const present = await look(work, id);
    if (present === null) {
      await takeLastWords(inbox, message, ({ comment }) => {
        progress.note(`The observation has gone, so this could not be logged: ${toNoted(comment)}`);
      });
      return { outcome: 'gone' };
    }
    if (present.status === 'closed') {
      await takeLastWords(inbox, message, said => respond(work, id, said));
      return { outcome: 'closed-by-others' };
    }
    if (message === undefined) continue;
    if (message.kind === 'respond') {
      await respond(work, id, message);
      continue;
    }
    if (message.kind === 'done') {
      await respond(work, id, message);
      if (!(await move(work, id, 'ready_for_review'))) continue;
      if (work.input.review !== 'wait' && (await close(work, id, inbox))) return { outcome: 'closed' };
      isInReview = true;
      continue;
    }
    if (!isInReview && !isForReview(present.status)) {
      progress.note('"reviewed" came before "workDone" and was left out.');
      continue;
    }
    await respond(work, id, message);
    if (message.accepted) {
      if (await close(work, id, inbox)) return { outcome: 'closed' };
    } else if (await move(work, id, 'not_accepted')) isInReview = false;
  }
}

async function look(
  { calls, project }: Work,
  id: string,
  named: Pick<ReadObservationInput, 'isNamed'> = {},
): Promise<ObservationView | null> {
  return await calls.service.readObservation(() => ({ project, id, ...named }), `Read observation ${id}`);
}

async function respond(work: Work, id: string, message: Message): Promise<void> {
  const { calls, fileCalls, progress, project } = work;
  const { comment, attachments = [] } = message;
  if (comment === undefined) return;
  const logs = await calls.service.readResponses(() => ({ project, id }), 'Read the responses so far');
  const target = attachments.length > 0 ? fileCalls : calls;
  const result = await target.service.addResponse(
    () => ({ project, id, comment, attachments, knownIds: logs.map(log => log.id), asked: asking() }),
    'Log a response',
  );
  progress.note(
    result.kind === 'refused'
      ? `A response was not taken: ${toNoted(comment)}: ${result.reason.text}`
      : 'A response was logged.',
  );
}

function toNoted(comment = ''): string {
  return comment.length <= MOST_NOTED_UNITS ? `"${comment}"` : `"${comment.slice(0, MOST_NOTED_UNITS)}…"`;
}

async function close(work: Work, id: string, inbox: ObservationInbox): Promise<boolean> {
  for (const message of inbox.takeResponses()) await respond(work, id, message);
  if (!(await move(work, id, 'closed'))) return false;
  await takeLastWords(inbox, undefined, said => respond(work, id, said));
  return true;
}

/**
 * Before the run ends: `take` gets every comment that was said until then, also with a signal that has
 * nothing else to do any more. Who said it was told that it arrived.
 */
async function takeLastWords(
  inbox: ObservationInbox,
  inHand: Message | undefined,
  take: (message: Message) => void | Promise<void>,
): Promise<void> {
  for (let next = inHand ?? inbox.next(); next !== undefined; next = inbox.next()) {
    if (next.comment !== undefined && patched('last-words-are-taken')) await take(next);
  }
}

/** Whether the item has that status now. A refusal is noted, and the next signal tries again. */
async function move(
  { calls, progress, project }: Work,
  id: string,
  status: 'ready_for_review' | 'closed' | 'not_accepted',
): Promise<boolean> {
  progress.tell(`Setting the status ${status}`);
  const result = await calls.service.moveObservation(
    () => ({ project, id, status }),
    `Set the status ${status}`,
  );
  if (result.kind === 'done') return true;
  progress.note(`${result.reason.text} ${result.reason.fix}`);
  return false;
}
