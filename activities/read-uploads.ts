// Reading uploads (Step 7): all of a batch in one request where the project has that, else one by one.
import type { EventId, StoredValue } from '../workflows/contract';
import { assessUpload, isAnalysed, isNameRight, type UploadView } from '../workflows/decide/assess-upload';
import { chooseRequirement } from '../workflows/decide/choose-requirement';
import type { FieldWrite } from '../workflows/decide/plan-document';
import { isTimeToPart, planFirstLook, planNextLook } from '../workflows/decide/poll-schedule';
import { findField, type ProjectRules } from '../workflows/decide/project-rules';
import type { ActivityScope } from './activity-scope';
import type { ReadDocument, ReadItem, ReadUploadsInput, ReadUploadsResult } from './api';
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
import type { DocumentUpload } from './service/endpoints/document-uploads';

/** A stored text longer than this is cut in what travels to the receipt. */
const MOST_STORED_CHARS = 120;

export interface ReadDeps extends LookDeps {
  readonly lookups: ProjectLookups;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Reads every item, once or until the analysis has finished. The time counted is our own looking: what the service is
 * away does not use up the three minutes, since a failed look ends this attempt and the next one counts on from here.
 */
export async function readUploads(
  deps: ReadDeps,
  input: ReadUploadsInput,
  scope: ActivityScope,
): Promise<ReadUploadsResult> {
  const rules = await deps.lookups.rules(input.project);
  const { writes } = await resolveDefaults(deps.lookups, input.project, rules, input.defaults);
  const describe = (looks: ReadonlyMap<number, Look>): ReadDocument[] =>
    input.items.map(item => toReadDocument(rules, writes, input, item, looks.get(item.index) ?? 'hidden'));

  if (input.poll === undefined) {
    return { documents: describe(await look(deps, input.project, input.items, scope.signal)), lookedMs: 0 };
  }
  const { times, mayPart } = input.poll;
  const looks = new Map<number, Look>();
  let lookedMs = Math.max(input.poll.lookedMs, lookedBefore(scope.lastDetails));
  let open = input.items;
  for (let isFirst = lookedMs === 0; ; ) {
    const isBulk = open.length > 0 && isReadTogether(deps, input.project);
    const pauseMs = isFirst
      ? Math.max(0, planFirstLook(times, isBulk ? 1 : open.length) - lookedMs)
      : (planNextLook(times, lookedMs) ?? 0);
    await deps.sleep(pauseMs, scope.signal);
    const startedMs = performance.now();
    const found = isBulk
      ? await readTogether(deps, input.project, open, scope.signal)
      : await readOneByOne(deps, input.project, open, scope.signal);
    lookedMs += pauseMs + Math.round(performance.now() - startedMs);
    scope.report({ lookedMs });
    // Learned just now that each upload costs a request: then the first look is better made when they are likely done.
    if (found === 'unsupported') continue;
    isFirst = false;
    for (const [index, one] of found) looks.set(index, one);
    open = open.filter(({ index }) => isStillAnalysed(looks.get(index)));
    const isOver = open.length === 0 || planNextLook(times, lookedMs) === undefined;
    if (isOver || (mayPart && isTimeToPart(times, lookedMs, input.items.length - open.length, open.length))) {
      return { documents: describe(looks), lookedMs };
    }
  }
}

function lookedBefore(details: unknown): number {
  if (typeof details !== 'object' || details === null || !('lookedMs' in details)) return 0;
  return typeof details.lookedMs === 'number' ? details.lookedMs : 0;
}

function isStillAnalysed(found: Look | undefined): boolean {
  return typeof found === 'object' && !isAnalysed(toView(found));
}

function toReadDocument(
  rules: ProjectRules,
  defaults: readonly FieldWrite[],
  input: ReadUploadsInput,
  item: ReadItem,
  found: Look,
): ReadDocument {
  if (typeof found === 'string') return { kind: found, index: item.index };
  const view = toView(found);
  const { fill, missing } = assessUpload(rules, view, defaults, item.fileName);
  const others = new Set(input.batchFileNames.filter(name => name !== item.fileName));
  const isComputed =
    rules.requirements.some(({ scrapedFieldIds }) => scrapedFieldIds !== null) ||
    !rules.fields.some(({ name }) => name === 'name');
  return {
    kind: 'found',
    index: item.index,
    // Without an event id nothing can be submitted; the workflow sets the document apart.
    eventId: found.latestEventId ?? ('' as EventId),
    completed: found.uploadStatus === 'COMPLETED',
    analysed: isAnalysed(view),
    analysisFailed: view.analysis.ml === 'error' || view.analysis.filenameScraping === 'error',
    nameIsRight: isNameRight(view, givenName(rules, item) ?? item.fileName, others, isComputed),
    fill,
    missing: missing.map(({ label }) => label),
    stored: listStored(rules, item, found, view),
  };
}

/** The name that people gave in place of the file's own. */
function givenName(rules: ProjectRules, item: ReadItem): string | undefined {
  const given = Object.entries(item.values).find(([key]) => findField(rules.fields, key)?.name === 'name');
  return typeof given?.[1] === 'string' ? given[1] : undefined;
}

function toView(upload: DocumentUpload): UploadView {
  return {
    status: upload.uploadStatus ?? 'other',
    values: new Map(
      upload.fields.map(field => [field.id, field.values.flatMap(({ id, label }) => id ?? label ?? [])]),
    ),
    names: upload.fields
      .filter(({ name }) => name === 'name')
      .flatMap(({ values }) => values.flatMap(({ label }) => (label === null ? [] : [label]))),
    analysis: upload.integrationStatuses,
  };
}

/** What the receipt shows: the required fields, and those that people gave values for. */
function listStored(
  rules: ProjectRules,
  item: ReadItem,
  upload: DocumentUpload,
  view: UploadView,
): readonly StoredValue[] {
  const wanted = new Set(chooseRequirement(rules, view.values).required.map(({ id }) => id));
  for (const nameOrLabel of Object.keys(item.values)) {
    const field = findField(rules.fields, nameOrLabel);
    if (field !== undefined) wanted.add(field.id);
  }
  return upload.fields
    .filter(({ id, values }) => wanted.has(id) && values.length > 0)
    .map(({ label, values }) => ({
      label,
      value: values
        .map(value => value.label ?? value.code ?? value.id ?? '')
        .join('; ')
        .slice(0, MOST_STORED_CHARS),
    }));
}
