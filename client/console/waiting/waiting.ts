// Waiting for me: what is asked of people, the fields they answer with, and their answers.

import { forEachLimited } from '../../../activities/host/concurrency';
import { hostZone } from '../../../activities/registers/words/local-time';
import type { BatchContents } from '../../../activities/share/batch/read-batch';
import type { ShareConfig } from '../../../activities/share/share-config';
import { ingestWorkflowId } from '../../../workflows/contract';
import { emptyWordOf } from '../../../workflows/ingest/decide/empty-word';
import type { Topic } from '../contract/session';
import type {
  AnswersTold,
  FieldsPage,
  HeldRow,
  SaidOfDocuments,
  WaitingPage,
  waitingRoutes,
} from '../contract/waiting';
import { nameFiles } from '../jobs/seen-job';
import { type ConsoleDeps, type ConsoleModule, ConsoleProblem, type Person } from '../serve/module';
import { shareOf } from '../serve/share-of';
import { texts } from '../texts/texts';
import { AllHeld } from './all-held';
import { countUsed, type JobManifest } from './count-used';
import { GivenAnswers } from './given-answers';
import { type HeldBatch, HeldListing } from './held-listing';
import { keepAnswers, nameOf } from './keep-answers';
import { KnownManifests } from './known-manifests';
import { indexNames, listPresent, nameDocument } from './present-values';
import { ProjectFields, toShownField } from './project-fields';
import { type BatchAnswers, sendToBatch } from './send-answers';
import { addSheetRoutes } from './sheet-routes';

/** Batches that are read, or answered, at one time. */
const TOLD_AT_ONCE = 8;
/** Runs are only asked again and again for so long after somebody has shown what waits. */
const LOOKED_AT_MS = 30_000;

type Manifest = BatchContents['manifest'];

export function createWaiting(deps: ConsoleDeps): ConsoleModule<typeof waitingRoutes> {
  const nowMs = () => deps.now().getTime();
  const listing = new HeldListing(deps.temporal, nowMs);
  const fields = new ProjectFields(deps.temporal, nowMs, () => deps.changed(['waiting']));
  const given = new GivenAnswers(nowMs);
  const manifests = new KnownManifests();
  const all = new AllHeld({ deps, listing });
  const waiting = { deps, listing, all, fields, given, manifests };
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let seen = '';
  return {
    handlers: {
      'GET /api/waiting': async (_asked, person) => {
        shownAtMs = nowMs();
        return await tellWaiting(waiting, person);
      },
      'GET /api/waiting/count': async (_asked, person) => {
        const { batches } = await all.list();
        const theirs = batches.filter(({ share }) => person.may('see', share));
        return { held: theirs.reduce((sum, { held }) => sum + held.length, 0) };
      },
      'GET /api/fields/:share': async ({ params }) => await tellFields(waiting, params.share),
      'POST /api/answers': async ({ body }, person) => await answer(waiting, body.answers, person),
    },
    extend: (server, door) => addSheetRoutes(server, door, waiting),
    look: async (): Promise<readonly Topic[]> => {
      if (nowMs() - shownAtMs > LOOKED_AT_MS) return [];
      const { batches, isOld, isAway } = await listing.list();
      const now = JSON.stringify([isOld, isAway, batches.map(({ batchId, held }) => [batchId, held])]);
      if (now === seen) return [];
      seen = now;
      return ['waiting'];
    },
  };
}

export interface Waiting {
  readonly deps: ConsoleDeps;
  readonly listing: HeldListing;
  readonly all: AllHeld;
  readonly fields: ProjectFields;
  readonly given: GivenAnswers;
  readonly manifests: KnownManifests;
}

async function tellWaiting(waiting: Waiting, person: Person): Promise<WaitingPage> {
  const { deps, all, given } = waiting;
  const { batches, isOld, isAway } = await all.list();
  const theirs = batches.filter(({ share }) => person.may('see', share));
  const { rows, manifests } = await tellBatches(waiting, theirs);
  const jobs = new Map<string, WaitingPage['jobs'][number]>();
  for (const { share, job, jobName } of rows) {
    const key = `${share}/${job}`;
    const known = jobs.get(key) ?? { share, job, name: jobName, held: 0 };
    jobs.set(key, { ...known, held: known.held + 1 });
  }
  return {
    rows: [...rows],
    jobs: [...jobs.values()],
    answered: given.list().filter(({ share }) => person.may('see', share)),
    used: [...countUsed(manifests)],
    conflicts: Object.fromEntries(
      deps
        .shares()
        .flatMap(({ config: { name, policy } }) =>
          person.may('see', name) ? [[name, policy.conflict.kind]] : [],
        ),
    ),
    away: isAway ? texts.waiting.away : isOld ? texts.waiting.someAway : null,
    mayAnswer: !isAway,
    at: deps.now().toISOString(),
  };
}

/** Rows in the order of the batches, and within a batch in its own order. */
async function tellBatches(
  waiting: Waiting,
  batches: readonly HeldBatch[],
): Promise<{ readonly rows: readonly HeldRow[]; readonly manifests: readonly JobManifest[] }> {
  const told: (readonly HeldRow[])[] = [];
  const manifests: JobManifest[] = [];
  await forEachLimited([...batches.entries()], TOLD_AT_ONCE, async ([at, batch]) => {
    const share = waiting.deps.shares().find(({ config }) => config.name === batch.share);
    if (share === undefined) return;
    const manifest = await waiting.manifests.read(share, batch.batchId);
    const names = indexNames((await waiting.fields.read(share))?.fields, share.config);
    const { id: job, name } = jobOf(batch.batchId, manifest, share.config);
    const valuesOf = (index: number) =>
      manifest === undefined ? [] : listPresent(manifest, index, share.config, names);
    told[at] = batch.held.map(held => {
      const values = valuesOf(held.index);
      return {
        share: batch.share,
        job,
        jobName: name,
        batchId: batch.batchId,
        index: held.index,
        path: held.path,
        file: manifest?.job === undefined ? held.path : held.path.slice(held.path.indexOf('/') + 1),
        row: manifest?.files[held.index]?.entry?.row?.number ?? null,
        ...nameDocument(values),
        question: held.question,
        reason: held.reason.text,
        whatToDo: held.reason.fix,
        missing: [...(held.missing ?? [])],
        values: values.map(value => ({ ...value })),
        since: new Date(held.sinceMs).toISOString(),
        until: new Date(held.untilMs).toISOString(),
      };
    });
    const isHeld = new Set(batch.held.map(({ index }) => index));
    const others = manifest?.files.flatMap(({ index }) => (isHeld.has(index) ? [] : [valuesOf(index)])) ?? [];
    manifests.push({ share: batch.share, job, documents: others });
  });
  return { rows: told.flat(), manifests };
}

/** As the list of jobs calls it. */
function jobOf(
  batchId: string,
  manifest: Manifest | undefined,
  { timeZone }: ShareConfig,
): { readonly id: string; readonly name: string } {
  if (manifest === undefined) return { id: batchId, name: batchId };
  const { job, createdAt } = manifest;
  if (job !== undefined) return { id: job.id, name: job.place };
  return { id: batchId, name: nameFiles(createdAt, timeZone ?? hostZone()) };
}

async function tellFields({ deps, fields }: Waiting, name: string): Promise<FieldsPage> {
  const share = shareOf(deps, name);
  const kept = await fields.look(share);
  return {
    at: kept?.askedAt.toISOString() ?? null,
    fields: kept?.fields.map(toShownField) ?? [],
    dates: share.config.policy.register?.dates ?? null,
    emptyWord: emptyWordOf(share.config.policy),
  };
}

async function answer(
  waiting: Waiting,
  answers: readonly SaidOfDocuments[],
  person: Person,
): Promise<AnswersTold> {
  const { deps, listing } = waiting;
  requireWhole(deps, answers, person);
  const client = await deps.temporal().catch(() => {
    throw new ConsoleProblem(503, texts.waiting.nothingSent);
  });
  const groups = new Map<string, SaidOfDocuments[]>();
  for (const said of answers) {
    const key = `${said.share}/${said.batchId}`;
    groups.set(key, [...(groups.get(key) ?? []), said]);
  }
  const told: AnswersTold[] = [];
  const shown = new Set<Topic>();
  await forEachLimited([...groups.values()], TOLD_AT_ONCE, async said => {
    const { job, ...batch } = await findBatch(waiting, said);
    shown.add(`job:${batch.share}/${job}`);
    const sent = await sendToBatch(client, batch, nameOf(person));
    told.push(keepAnswers(waiting, batch, sent, person));
  });
  listing.forget();
  deps.changed(['waiting', 'jobs', ...shown]);
  return {
    taken: told.flatMap(({ taken }) => taken),
    refused: told.flatMap(({ refused }) => refused),
  };
}

/** @throws ConsoleProblem with all that is wrong, before anything is sent. */
function requireWhole(deps: ConsoleDeps, answers: readonly SaidOfDocuments[], person: Person): void {
  for (const share of new Set(answers.map(each => each.share))) {
    if (!person.may('answer', share)) throw new ConsoleProblem(403, texts.waiting.mayNotAnswer(share));
    shareOf(deps, share);
  }
  const faults = answers.flatMap(({ decision, values, reason, status }, at) => {
    const of = `answers.${at}`;
    if (decision === undefined && values === undefined) return [{ at: of, text: texts.waiting.giveValues }];
    if (decision !== 'terminate') return [];
    return [
      ...(reason === undefined ? [{ at: `${of}.reason`, text: texts.waiting.giveReason }] : []),
      ...(status === undefined ? [{ at: `${of}.status`, text: texts.waiting.giveStatus }] : []),
    ];
  });
  if (faults.length > 0) throw new ConsoleProblem(422, texts.waiting.tooLittle, faults);
}

async function findBatch(
  { deps, listing, manifests }: Waiting,
  said: readonly SaidOfDocuments[],
): Promise<BatchAnswers & { readonly job: string }> {
  const { share: name, batchId } = said[0] as SaidOfDocuments;
  const share = shareOf(deps, name);
  const held = listing.known.batches.find(batch => batch.share === name && batch.batchId === batchId);
  const manifest = await manifests.read(share, batchId);
  const paths = new Map([
    ...(manifest?.files ?? []).map(({ index, path }) => [index, path] as const),
    ...(held?.held ?? []).map(({ index, path }) => [index, path] as const),
  ]);
  return {
    share: name,
    job: jobOf(batchId, manifest, share.config).id,
    batchId,
    workflowId: held?.workflowId ?? ingestWorkflowId(manifest?.project ?? share.config.project, batchId),
    paths,
    said,
    readBatch: async () => await share.share?.readBatch(batchId),
  };
}
