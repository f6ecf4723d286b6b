// What would become of each file of a folder: by the decisions that a batch itself goes by, asked for all at
// once and with what they rest on. Whatever asks the service only reads.
import type { Reason, ValuesByField } from '../../workflows/contract';
import { askForRegisters } from '../../workflows/ingest/decide/ask-for-registers';
import { judgePlan } from '../../workflows/ingest/decide/judge-plan';
import type { BatchDocument, StoredValue } from '../../workflows/ingest/ingest-contract';
import { findPredecessors } from '../../workflows/revision-order/decide/order-revisions';
import { toDocument } from '../ingest/batches';
import { wishName } from '../ingest/decide/name-document';
import { type Weighed, weighDocument } from '../ingest/decide/plan-document';
import { settable } from '../ingest/decide/read-entry';
import { type DecidedPlan, type DecidedPlans, decidePlans } from '../ingest/plan-documents';
import type { ProjectLookups } from '../ingest/project-lookups';
import type { Stopped } from '../ledger/decide/decide-document';
import type { Stops } from '../ledger/served-ledgers';
import { findField } from '../registers/column-words';
import { columnLetter } from '../registers/sheet/column-letter';
import type { Foretold } from '../registers/words/foretold-words';
import { isServiceError } from '../service/errors';
import type { Manifest, ManifestFile } from '../share/batch/manifest';
import { DocumentWords } from '../share/drop/document-words';
import { compileNamePatterns, traceNameValues } from '../share/drop/name-values';
import { folderOf, nameOf } from '../share/files/relative-path';
import { toQueued } from '../share/revision-order/queue-reader';
import type { ShareConfig } from '../share/share-config';
import { type ExplainedRequirement, explainRequirement } from './explain-requirement';
import { fileNameOf, type TriedJob } from './read-folder';

/** Which of the files would not be sent, or not without a question, by the ledger and by one another. */
export type FindStops = (manifest: Manifest, files: readonly ManifestFile[]) => Promise<Stops>;

export interface ForetoldFile {
  /** As it would be in the drop folder. */
  readonly path: string;
  /** Its row in the register. */
  readonly row?: number;
  readonly sizeBytes: number;
  readonly sha256?: string;
  readonly foretold: Exclude<Foretold, 'not-there'>;
  readonly reason?: Reason;
  /** What it would be called; null where the service decides. Absent for what would not be sent. */
  readonly name?: string | null;
  readonly matches?: string | null;
  readonly values: readonly StoredValue[];
  readonly requirement?: ExplainedRequirement;
  readonly notes: readonly string[];
}

export interface ForetellDeps {
  readonly lookups: ProjectLookups;
  readonly config: ShareConfig;
  readonly findStops: FindStops;
}

/** One list for each batch. @throws what planning throws, except MISCONFIGURED, which becomes a reason. */
export async function foretellJob(
  deps: ForetellDeps,
  { manifests }: Pick<TriedJob, 'manifests'>,
): Promise<{ readonly batches: readonly (readonly ForetoldFile[])[]; readonly notices: readonly string[] }> {
  const stops = await findAllStops(deps, manifests);
  const batches: ForetoldFile[][] = [];
  const notices = new Set<string>();
  for (const manifest of manifests) {
    const stopsHere: Stops = stops.get(manifest) ?? new Map();
    const plans = await planOpen(deps, manifest, stopsHere).catch(explainUnfit);
    const isUnfit = 'code' in plans;
    for (const notice of isUnfit ? [] : plans.notices) notices.add(notice);
    const decided = new Map(isUnfit ? [] : plans.decided.map(each => [each.index, each]));
    batches.push(
      manifest.files.map(file => {
        const plan = decided.get(file.index);
        if (plan !== undefined && !isUnfit) return foretell(deps.config, manifest, file, plans, plan);
        return foretellUnplanned(file, stopsHere.get(file.index), isUnfit ? plans : undefined);
      }),
    );
  }
  return { batches, notices: [...notices] };
}

function foretellUnplanned(
  file: ManifestFile,
  stop: Stopped | undefined,
  unfit: Reason | undefined,
): ForetoldFile {
  const foretold =
    file.refused !== undefined ? 'set-apart' : stop?.kind === 'skip' ? 'already-there' : 'held';
  const reason = file.refused ?? stop?.reason ?? unfit;
  return { ...factsOf(file), foretold, ...(reason === undefined ? {} : { reason }), values: [], notes: [] };
}

/** The reason for settings that do not fit the project: they keep every batch waiting until corrected. */
function explainUnfit(error: unknown): Reason {
  if (!isServiceError(error) || error.code !== 'MISCONFIGURED') throw error;
  return {
    code: 'misconfigured',
    text: error.message,
    fix: 'Tell whoever runs Drawbridge: nothing goes through until the settings of the share are corrected.',
  };
}

/**
 * The stops of all batches. A file that is there already, but comes after another one of its document that
 * would be sent, may be needed again after that one: it is not skipped.
 */
async function findAllStops(
  { findStops, lookups, config }: ForetellDeps,
  manifests: readonly Manifest[],
): Promise<ReadonlyMap<Manifest, Stops>> {
  const stops = new Map<Manifest, Map<number, Stopped>>();
  for (const manifest of manifests) {
    const files = manifest.files.filter(({ refused }) => refused === undefined);
    stops.set(manifest, new Map(await findStops(manifest, files)));
  }
  const byId = new Map(manifests.map(manifest => [manifest.batchId, stops.get(manifest)]));
  const isSkipped = ({ batchId, index }: { readonly batchId: string; readonly index: number }) =>
    byId.get(batchId)?.get(index)?.kind === 'skip';
  const { naming, register } = config.policy;
  const words = new DocumentWords({ ...register, fields: settable(await lookups.rules(config.project)) });
  const queued = manifests.flatMap(manifest => toQueued(manifest, naming, words));
  const pairs = findPredecessors(queued);
  for (let isMore = true; isMore; ) {
    const late = pairs.filter(({ document, behind }) => isSkipped(document) && !isSkipped(behind));
    for (const { document } of late) byId.get(document.batchId)?.delete(document.index);
    isMore = late.length > 0;
  }
  return stops;
}

async function planOpen(
  { lookups, config }: ForetellDeps,
  manifest: Manifest,
  stops: Stops,
): Promise<DecidedPlans> {
  const { policy, project } = config;
  const patterns = compileNamePatterns(config);
  const share = { readValues: (path: string) => traceNameValues(path, patterns) };
  const open = manifest.files
    .filter(({ index, refused }) => refused === undefined && !stops.has(index))
    .map(file => toDocument(share, file));
  const registers = (manifest.registers ?? []).map(({ path, headers }) => ({ path, headers }));
  return await decidePlans(lookups, {
    project,
    defaults: policy.defaults,
    patternFields: policy.patternFields,
    ...askForRegisters({ policy, registers }),
    documents: open.map(({ index, fileName, mimeType, values, fromFolder, entry }: BatchDocument) => ({
      index,
      fileName,
      mimeType,
      values,
      ...(fromFolder === undefined ? {} : { fromFolder }),
      ...(entry === undefined ? {} : { entry }),
    })),
  });
}

function foretell(
  config: ShareConfig,
  manifest: Manifest,
  file: ManifestFile,
  { rules, defaults }: DecidedPlans,
  { plan, said }: DecidedPlan,
): ForetoldFile {
  const { policy } = config;
  const document = { fileName: fileNameOf(file), mimeType: file.mimeType };
  const weighed = weighDocument(rules, document, said, defaults);
  const requirement = explainRequirement(rules, weighed);
  const verdict = judgePlan({ ...plan, hopeless: plan.hopeless.map(({ label }) => label) });
  const nameId = rules.fields.find(({ name }) => name === 'name')?.id;
  const [given] = said.writes.find(({ fieldId }) => fieldId === nameId)?.values ?? [];
  const wish = wishName(
    rules,
    { ...document, values: given === undefined ? {} : { name: given } },
    policy.naming,
  );
  const name = wish.isFirm ? wish.text : null;
  return {
    ...factsOf(file),
    ...toOutcome(verdict, requirement, policy.missing),
    name,
    matches: name === null ? null : `${name}|${file.mimeType}`,
    values: listValues(config, manifest, file, rules.fields, said, weighed),
    requirement,
    notes: notesOf(config, file),
  };
}

function toOutcome(
  verdict: ReturnType<typeof judgePlan>,
  { isComplete }: ExplainedRequirement,
  missing: ShareConfig['policy']['missing'],
): Pick<ForetoldFile, 'foretold' | 'reason'> {
  switch (verdict.kind) {
    case 'impossible':
      return { foretold: 'set-apart', reason: verdict.reason };
    case 'lacks':
      return { foretold: missing === 'set-apart' ? 'set-apart' : 'held', reason: verdict.reason };
    case 'goes':
      return { foretold: isComplete ? 'through' : 'open' };
  }
}

function factsOf(file: ManifestFile): Pick<ForetoldFile, 'path' | 'row' | 'sizeBytes' | 'sha256'> {
  const { path, sizeBytes, sha256, entry } = file;
  const row = entry?.row?.number;
  return {
    path,
    sizeBytes,
    ...(row === undefined ? {} : { row }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

const UNLESS_FOUND = 'default of this share, unless the service finds another';

/** Each as it was written, with who says it. */
function listValues(
  { policy }: ShareConfig,
  { registers = [] }: Manifest,
  { path: _path, entry, ...file }: ManifestFile,
  fields: DecidedPlans['rules']['fields'],
  { sources }: DecidedPlan['said'],
  { now, later }: Weighed,
): readonly StoredValue[] {
  const headers = (entry === undefined ? undefined : registers[entry.register]?.headers) ?? [];
  const textIn = (values: ValuesByField, fieldId: string) => {
    const found = Object.entries(values).findLast(([key]) => findField(fields, key)?.id === fieldId)?.[1];
    return found === undefined || typeof found === 'string' ? found : found.join('; ');
  };
  const textOf = (fieldId: string, from: string): string | undefined => {
    const [, letters] = /^row ([A-Z]+)$/.exec(from) ?? [];
    if (letters !== undefined) {
      const column = headers.findIndex((_, at) => columnLetter(at) === letters);
      return entry?.row?.cells[column];
    }
    if (from === 'share') return textIn(policy.values ?? {}, fieldId);
    return textIn(from === 'default' ? policy.defaults : file.values, fieldId);
  };
  const labelOf = (fieldId: string) => fields.find(({ id }) => id === fieldId)?.label ?? fieldId;
  const toValue = (fieldId: string, source: string, from = source): readonly StoredValue[] => {
    const value = textOf(fieldId, source);
    return value === undefined ? [] : [{ label: labelOf(fieldId), value, from }];
  };
  const ids = new Set([...sources.keys(), ...now.map(({ fieldId }) => fieldId)]);
  return [
    ...[...ids].flatMap(fieldId => toValue(fieldId, sources.get(fieldId) ?? 'default')),
    ...later.flatMap(({ fieldId }) => toValue(fieldId, 'default', UNLESS_FOUND)),
  ];
}

function notesOf(config: ShareConfig, { path, looks }: ManifestFile): readonly string[] {
  const { fileName, folder } = compileNamePatterns(config);
  const isUnread = (pattern: typeof fileName, text: string) =>
    pattern !== undefined && Object.keys(pattern.groupsOf(text.normalize('NFC'))).length === 0;
  return [
    ...(isUnread(fileName, nameOf(path))
      ? ['Its name does not fit the pattern of the share, so that it gives no values.']
      : []),
    ...(isUnread(folder, folderOf(path))
      ? ['Its folder does not fit the pattern of the share, so that it gives no values.']
      : []),
    ...(looks === undefined ? [] : [looks]),
  ];
}
