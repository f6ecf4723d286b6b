// Reading uploads (Step 7): all of a batch in one request where the project has that, else by its list of
// uploads, or one by one.
import type { EventId } from '../../workflows/contract';
import type { AppliedRequirement, FieldWrite } from '../../workflows/ingest/ingest-contract';
import { Table } from '../../workflows/run/decide/table';
import { systemClock } from '../host/clock';
import type { ActivityScope } from '../scope/activity-scope';
import { rest } from '../scope/rest';
import { PATIENT_ATTEMPTS } from '../scope/sift-failures';
import type { DocumentUpload } from '../service/endpoints/document-uploads';
import { isOutage, isServiceError } from '../service/errors';
import type { ReadDocument, ReadItem, ReadUploadsInput, ReadUploadsResult, WriteValuesInput } from './api';
import { assessUpload, isAnalysed, type UploadView } from './decide/assess-upload';
import { judgePairing, mediaTypeOf, type Pairing } from './decide/judge-pairing';
import { listStored } from './decide/list-stored';
import { type NameWish, wishName } from './decide/name-document';
import { isNameComputed } from './decide/plan-document';
import { type PollProgress, takeUpPolling } from './decide/poll-progress';
import { isTimeSpent, isTimeToPart, planPause } from './decide/poll-schedule';
import type { ProjectRules } from './decide/project-rules';
import { readHeaders } from './decide/read-entry';
import { tellAnalysis } from './decide/tell-analysis';
import { tellRequirement } from './decide/tell-requirement';
import { type TracedItem, traceValues } from './decide/trace-values';
import { writeValues } from './documents';
import {
  isReadTogether,
  type Look,
  type LookDeps,
  look,
  readOneByOne,
  readTogether,
} from './look-at-uploads';
import { resolveDefaults } from './plan-documents';
import type { ProjectLookups } from './project-lookups';

const STILL_ANALYSED = 'the analysis has not ended; another look comes later';
/**
 * Longest wait for a permit of the rate limit: a look that would wait longer is made later, and gives way to
 * what makes documents go on.
 */
const LOOK_WAITS_MS = 1_000;

export interface ReadDeps extends LookDeps {
  readonly lookups: ProjectLookups;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Reads every item, once or until the analysis has finished. The time counted is our own looking: time in
 * which the service is away does not use up the three minutes, since a failed look ends this attempt and the
 * next one counts on from here. A pause between two looks ends the attempt, too: however many batches wait,
 * they hold no slot of the worker.
 */
export async function readUploads(
  deps: ReadDeps,
  input: ReadUploadsInput,
  scope: ActivityScope,
): Promise<ReadUploadsResult> {
  const rules = await deps.lookups.rules(input.project);
  const { writes } = await resolveDefaults(deps.lookups, input.project, rules, input.defaults);
  const registers = readHeaders(
    rules,
    input,
    input.items.map(({ entry }) => entry),
  );
  const describe: Describe = (items, looks, seen) =>
    items.map(item => {
      const given = traceValues(rules, registers, input, item);
      const found = looks.get(item.index) ?? 'hidden';
      return toReadDocument(rules, writes, input, given, { found, ...seen });
    });
  const { poll, items } = input;
  if (poll === undefined) {
    const table = new Table<AppliedRequirement>();
    const looks = await look(deps, input.project, items, scope.signal);
    return { ...toResult(describe(items, looks, { waitedMs: 0, table }), table), lookedMs: 0 };
  }
  return await pollUploads(deps, { ...input, poll }, scope, describe);
}

type Describe = (
  items: readonly ReadItem[],
  looks: ReadonlyMap<number, Look>,
  seen: Pick<Seen, 'waitedMs' | 'table'>,
) => readonly ReadDocument[];

type Progress = PollProgress<ReadDocument, AppliedRequirement>;

async function pollUploads(
  deps: ReadDeps,
  input: ReadUploadsInput & Required<Pick<ReadUploadsInput, 'poll'>>,
  scope: ActivityScope,
  describe: Describe,
): Promise<ReadUploadsResult> {
  const { times, mayPart, isToName } = input.poll;
  let at: Progress = takeUpPolling(scope.lastDetails, input.poll.lookedMs);
  const table = new Table(at.requirements);
  for (;;) {
    const hasEnded = new Set(at.ended.map(({ index }) => index));
    const open = input.items.filter(({ index }) => !hasEnded.has(index));
    const isBulk = open.length > 0 && isReadTogether(deps, input.project);
    if (!at.isDue) {
      const ms = planPause(times, at, open.length, isBulk);
      at = { ...at, lookedMs: at.lookedMs + ms, isDue: true };
      await rest(deps, scope, { ms, details: at, why: STILL_ANALYSED });
    }
    const startedMs = systemClock.monotonicMs();
    const found = isBulk
      ? await readTogether(deps, input.project, open, scope.signal, LOOK_WAITS_MS)
      : await readOneByOne(deps, input.project, open, scope.signal);
    const lookedMs = at.lookedMs + Math.round(systemClock.monotonicMs() - startedMs);
    at = { ...at, lookedMs, isDue: false };
    // This look has shown that each upload costs a request: then the first look is better made when the
    // analysis has likely ended.
    if (found === 'unsupported') continue;
    const shown = describe(open, found, { waitedMs: lookedMs, table });
    const unfinished = new Set(
      open.flatMap(({ index }) => (isStillAnalysed(found.get(index)) ? [index] : [])),
    );
    const finished = input.items.length - unfinished.size;
    const isOver = unfinished.size === 0 || isTimeSpent(times, lookedMs);
    if (isOver || (mayPart && isTimeToPart(times, lookedMs, finished, unfinished.size))) {
      const named = at.named === undefined ? {} : { named: at.named };
      return { ...toResult(inOrder(input, [...at.ended, ...shown]), table), lookedMs, ...named };
    }
    const isNaming = isToName === true && !at.hasLooked;
    const toName = isNaming ? findToName(input, shown) : [];
    const named = isNaming ? await giveNames(deps, input, toName, scope) : at.named;
    // An upload that was named, or may have been, is looked at again even if its analysis had ended: its
    // event id has moved.
    const again = new Set([...unfinished, ...toName.map(({ index }) => index)]);
    at = {
      lookedMs,
      hasLooked: true,
      isDue: false,
      ended: [...at.ended, ...shown.filter(({ index }) => !again.has(index))],
      requirements: table.entries,
      ...(named === undefined ? {} : { named }),
    };
    // For a next attempt, and only where this one goes on: each heartbeat costs.
    scope.report(at);
  }
}

function inOrder({ items }: ReadUploadsInput, documents: readonly ReadDocument[]): readonly ReadDocument[] {
  const read = new Map(documents.map(each => [each.index, each]));
  return items.flatMap(({ index }) => read.get(index) ?? []);
}

function toResult(
  documents: readonly ReadDocument[],
  { entries }: Table<AppliedRequirement>,
): Pick<ReadUploadsResult, 'documents' | 'requirements'> {
  return { documents, ...(entries.length === 0 ? {} : { requirements: entries }) };
}

function findToName(
  { items }: ReadUploadsInput,
  documents: readonly ReadDocument[],
): WriteValuesInput['items'] {
  const uploadIds = new Map(items.map(({ index, uploadId }) => [index, uploadId]));
  return documents.flatMap(read => {
    const uploadId = uploadIds.get(read.index);
    if (read.kind !== 'found' || uploadId === undefined || !read.completed) return [];
    const { index, rename, pairing } = read;
    return rename === undefined || typeof pairing === 'object' ? [] : [{ index, uploadId, fields: [rename] }];
  });
}

/**
 * Writes our names while the analysis runs, so that what the last look shows is what is submitted. A name
 * that the service does not take is asked for again (`rename`) by that look. So is each where the step is
 * away, or turns away what is sent again and again (429): the write that follows waits for it, and not this
 * polling, which would look at all of them at each attempt.
 */
async function giveNames(
  deps: ReadDeps,
  { project }: ReadUploadsInput,
  items: WriteValuesInput['items'],
  scope: ActivityScope,
): Promise<NonNullable<ReadUploadsResult['named']>> {
  if (items.length === 0) return [];
  try {
    const { written } = await writeValues(deps, { project, onlyEmpty: false, items }, scope);
    const taken = items.filter(({ index }) => written.includes(index));
    return taken.map(({ index, fields: [field] }) => ({ index, name: field?.values[0] ?? '' }));
  } catch (error: unknown) {
    const isTurnedAway =
      isServiceError(error) && error.code === 'RATE_LIMITED' && scope.attempt > PATIENT_ATTEMPTS;
    if (!isOutage(error) && !isTurnedAway) throw error;
    return [];
  }
}

function isStillAnalysed(found: Look | undefined): boolean {
  return typeof found === 'object' && !isAnalysed(toView(found));
}

interface Seen {
  readonly found: Look;
  readonly waitedMs: number;
  readonly table: Table<AppliedRequirement>;
}

function toReadDocument(
  rules: ProjectRules,
  allDefaults: readonly FieldWrite[],
  input: ReadUploadsInput,
  { item, sources, leftEmpty }: TracedItem<ReadItem>,
  { found, waitedMs, table }: Seen,
): ReadDocument {
  // Looked for beside the others, for a while, until it can be read.
  if (found === 'unreadable') return { kind: 'hidden', index: item.index };
  if (typeof found === 'string') return { kind: found, index: item.index };
  const view = toView(found);
  const wish = wishName(rules, item, input.naming);
  const defaults = allDefaults.filter(({ fieldId }) => !leftEmpty.has(fieldId));
  const { fill, missing, rename } = assessUpload(rules, view, defaults, wish);
  const pairing = findPairing(rules, input, item, found, view, wish);
  const stored = listStored(rules, found, view, sources, defaults, wish);
  const requirement = table.place(tellRequirement(rules, view.values));
  const analysis = tellAnalysis(rules, found, { waitedMs, stored, fill, missing });
  return {
    kind: 'found',
    index: item.index,
    // Without an event id nothing can be submitted; the workflow looks for it again.
    eventId: found.latestEventId ?? ('' as EventId),
    completed: found.uploadStatus === 'COMPLETED',
    analysed: isAnalysed(view),
    analysisFailed: view.analysis.ml === 'error' || view.analysis.filenameScraping === 'error',
    ...(pairing.kind === 'own'
      ? {}
      : { pairing: pairing.kind === 'other' ? { others: pairing.others } : pairing.kind }),
    ...(found.matchCriteria === null ? {} : { matches: found.matchCriteria }),
    ...(rename === undefined ? {} : { rename }),
    fill,
    missing: missing.map(({ label }) => label),
    stored,
    ...(requirement === 0 ? {} : { requirement }),
    ...(analysis === undefined ? {} : { analysis }),
  };
}

function findPairing(
  rules: ProjectRules,
  input: ReadUploadsInput,
  item: ReadItem,
  found: DocumentUpload,
  view: UploadView,
  wish: NameWish,
): Pairing {
  if (input.files === undefined || item.verified === true) return { kind: 'own' };
  return judgePairing({
    evidence: {
      texts: [...found.otherTexts, ...textsOfService(found)],
      names: view.names,
      nameSource: view.nameSource,
      mediaType: mediaTypeOf(found.matchCriteria),
    },
    files: input.files,
    at: item.index,
    wish: wish.text,
    isComputed: isNameComputed(rules) || !rules.fields.some(({ name }) => name === 'name'),
  });
}

/** Texts of fields that neither people nor the analysis wrote: a file name among them is that of Step 4. */
function textsOfService(upload: DocumentUpload): readonly string[] {
  return upload.fields
    .filter(({ name, labelSource }) => name !== 'name' && labelSource === 'SYSTEM')
    .flatMap(({ values }) => values.flatMap(({ label }) => label ?? []));
}

function toView(upload: DocumentUpload): UploadView {
  const names = upload.fields.filter(({ name }) => name === 'name');
  return {
    status: upload.uploadStatus ?? 'other',
    values: new Map(
      upload.fields.map(field => [field.id, field.values.flatMap(({ id, label }) => id ?? label ?? [])]),
    ),
    names: names.flatMap(({ values }) => values.flatMap(({ label }) => (label === null ? [] : [label]))),
    nameSource: names[0]?.labelSource ?? null,
    analysis: upload.integrationStatuses,
  };
}
