// Reading uploads (Step 7): all of a batch in one request where the project has that, else one by one.
import type { EventId } from '../../workflows/contract';
import type { AppliedRequirement, FieldWrite, ValueSource } from '../../workflows/ingest/ingest-contract';
import { Table } from '../../workflows/run/decide/table';
import { type ActivityScope, lookedBefore } from '../scope/activity-scope';
import type { DocumentUpload } from '../service/endpoints/document-uploads';
import type { ReadDocument, ReadItem, ReadUploadsInput, ReadUploadsResult } from './api';
import { assessUpload, isAnalysed, type UploadView } from './decide/assess-upload';
import { judgePairing, mediaTypeOf, type Pairing } from './decide/judge-pairing';
import { listStored } from './decide/list-stored';
import { mergeValues } from './decide/merge-values';
import { type NameWish, wishName } from './decide/name-document';
import { isNameComputed, type Resolver, resolveValues } from './decide/plan-document';
import { isTimeToPart, planFirstLook, planNextLook } from './decide/poll-schedule';
import type { ProjectRules } from './decide/project-rules';
import { NO_ROW, type ReadableRegister, readEntry, readHeaders } from './decide/read-entry';
import { tellAnalysis } from './decide/tell-analysis';
import { tellRequirement } from './decide/tell-requirement';
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

export interface ReadDeps extends LookDeps {
  readonly lookups: ProjectLookups;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Reads every item, once or until the analysis has finished. The time counted is our own looking:
 * what the service is away does not use up the three minutes, since a failed look ends this attempt
 * and the next one counts on from here.
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
  const describe = (looks: ReadonlyMap<number, Look>, waited?: ReadonlyMap<number, number>) => {
    const table = new Table<AppliedRequirement>();
    const documents = input.items.map(item => {
      const given = traceValues(rules, registers, input, item);
      const waitedMs = waited?.get(item.index) ?? 0;
      const found = looks.get(item.index) ?? 'hidden';
      return toReadDocument(rules, writes, input, given, { found, waitedMs, table });
    });
    return { documents, ...(table.entries.length === 0 ? {} : { requirements: table.entries }) };
  };

  if (input.poll === undefined) {
    return { ...describe(await look(deps, input.project, input.items, scope.signal)), lookedMs: 0 };
  }
  const { times, mayPart } = input.poll;
  let isToName = input.poll.isToName === true;
  let named: ReadUploadsResult['named'];
  const looks = new Map<number, Look>();
  const waited = new Map<number, number>();
  let lookedMs = Math.max(input.poll.lookedMs, lookedBefore(scope));
  let open = input.items;
  for (let isFirst = lookedMs === 0; ; ) {
    const isBulk = open.length > 0 && isReadTogether(deps, input.project);
    const pauseMs = isFirst
      ? Math.max(0, planFirstLook(times, isBulk ? 1 : open.length) - lookedMs)
      : (planNextLook(times, lookedMs, open.length) ?? 0);
    await deps.sleep(pauseMs, scope.signal);
    const startedMs = performance.now();
    const found = isBulk
      ? await readTogether(deps, input.project, open, scope.signal)
      : await readOneByOne(deps, input.project, open, scope.signal);
    lookedMs += pauseMs + Math.round(performance.now() - startedMs);
    // Learned just now that each upload costs a request: then the first look is better
    // made when they are likely done.
    if (found === 'unsupported') continue;
    isFirst = false;
    for (const [index, one] of found) {
      looks.set(index, one);
      waited.set(index, Math.round(lookedMs));
    }
    open = open.filter(({ index }) => isStillAnalysed(looks.get(index)));
    const isOver = open.length === 0 || planNextLook(times, lookedMs, open.length) === undefined;
    if (isOver || (mayPart && isTimeToPart(times, lookedMs, input.items.length - open.length, open.length))) {
      return { ...describe(looks, waited), lookedMs, ...(named === undefined ? {} : { named }) };
    }
    if (isToName) {
      named = await giveNames(deps, input, describe(looks).documents, scope);
      // Whose analysis had ended is looked at again as well: its event id has moved.
      const indexes = new Set([...named, ...open].map(({ index }) => index));
      open = input.items.filter(({ index }) => indexes.has(index));
    }
    isToName = false;
    // For a next attempt, and only where this one goes on: each heartbeat costs.
    scope.report({ lookedMs });
  }
}

/**
 * While the analysis runs, so that what the last look shows is what is submitted. A name that is not taken is
 * wished for again by that look.
 */
async function giveNames(
  { client }: ReadDeps,
  { project, items: asked }: ReadUploadsInput,
  documents: readonly ReadDocument[],
  scope: ActivityScope,
): Promise<NonNullable<ReadUploadsResult['named']>> {
  const uploadIds = new Map(asked.map(({ index, uploadId }) => [index, uploadId]));
  const items = documents.flatMap(read => {
    const uploadId = uploadIds.get(read.index);
    if (read.kind !== 'found' || uploadId === undefined || !read.completed) return [];
    const { index, rename, pairing } = read;
    return rename === undefined || typeof pairing === 'object' ? [] : [{ index, uploadId, fields: [rename] }];
  });
  if (items.length === 0) return [];
  const { written } = await writeValues(client, { project, onlyEmpty: false, items }, scope);
  return items
    .filter(({ index }) => written.includes(index))
    .map(
      ({
        index,
        fields: [
          {
            values: [name = ''],
          } = { values: [] },
        ],
      }) => ({ index, name }),
    );
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
  { item, sources, leftEmpty }: TracedItem,
  { found, waitedMs, table }: Seen,
): ReadDocument {
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
    // Without an event id nothing can be submitted; the workflow sets the document apart.
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

interface TracedItem {
  /** With the name that a register or the share gives. */
  readonly item: ReadItem;
  /** Of each field that somebody gave a value for. */
  readonly sources: ReadonlyMap<string, ValueSource>;
  readonly leftEmpty: ReadonlySet<string>;
}

/** Texts as they were given: what they mean was looked up when the document was planned. */
const AS_GIVEN: Resolver = (_, text) => ({ kind: 'resolved', value: text });

function traceValues(
  rules: ProjectRules,
  registers: readonly ReadableRegister[],
  { forced = {}, register }: ReadUploadsInput,
  item: ReadItem,
): TracedItem {
  const header = item.entry === undefined ? undefined : registers[item.entry.register];
  const row =
    header === undefined || register === undefined
      ? NO_ROW
      : readEntry(rules, header, item.entry?.row, register.rules, AS_GIVEN);
  const merged = mergeValues(rules, item, row, resolveValues(rules, forced, AS_GIVEN), AS_GIVEN);
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const [name] = merged.writes.find(({ fieldId }) => fieldId === nameId)?.values ?? [];
  return {
    item: name === undefined ? item : { ...item, values: { ...item.values, name } },
    sources: merged.sources,
    leftEmpty: new Set(merged.leftEmpty),
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
