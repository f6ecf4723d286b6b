/**
 * What the service does by itself once an upload is COMPLETED: it reads the file name by the naming standard,
 * and analyses PDFs. Both take time, fill only what is empty, and move the event id.
 * Nothing runs in the background: results are worked out when somebody looks.
 */
import type { DocumentUpload, LabelSource, Processing, Project } from '../entities';
import { shareOf } from '../identifiers';
import type { World } from '../world';
import { fieldNamed, moveEvent, setField, textOf, valuesOf } from './upload-fields';

/** How long reading a file name takes, unscaled. */
const SCRAPING_MS = 1_000;

/** Starts both; called when the upload becomes COMPLETED. */
export function startProcessing(world: World, project: Project, upload: DocumentUpload): void {
  upload.scraping =
    project.namingStandard === undefined
      ? { status: 'not_applicable' }
      : { status: 'in_progress', endsAt: world.after(SCRAPING_MS), endsAs: 'completed' };
  upload.analysis =
    upload.mimeType === 'application/pdf' ? startAnalysis(world, upload) : { status: 'not_applicable' };
}

/** Applies what has ended by now, in the order in which it ended. */
export function settleProcessing(world: World, upload: DocumentUpload): void {
  if (upload.presence !== 'present' || upload.status !== 'COMPLETED') return;
  const project = world.projects.get(upload.projectId);
  if (project === undefined) return;
  const scrapingFirst = (upload.scraping.endsAt ?? 0) <= (upload.analysis.endsAt ?? 0);
  const steps = [
    () => settle(world, upload, 'scraping', () => scrapeFileName(world, project, upload)),
    () => settle(world, upload, 'analysis', () => analyse(project, upload)),
  ];
  for (const step of scrapingFirst ? steps : steps.reverse()) step();
}

function startAnalysis(world: World, upload: DocumentUpload): Processing {
  const item = { position: 0, fileName: upload.fileName, uploadId: upload.id };
  const strike = world.faults.takeForItem('analysis', ['analysis-error', 'analysis-never'], item);
  if (strike?.action.kind === 'analysis-never') return { status: 'in_progress' };
  const [shortest, longest] = world.settings.analysisMs;
  const ms = shortest + (longest - shortest) * shareOf(world.settings.seed, upload.fileName);
  return {
    status: 'in_progress',
    endsAt: world.after(ms),
    endsAs: strike === null ? 'completed' : 'error',
  };
}

function settle(
  world: World,
  upload: DocumentUpload,
  what: 'scraping' | 'analysis',
  apply: () => boolean,
): void {
  const { status, endsAt, endsAs } = upload[what];
  if (status !== 'in_progress' || endsAt === undefined || endsAt > world.now()) return;
  const succeeded = endsAs === 'completed' && apply();
  upload[what] = { status: succeeded ? 'completed' : 'error' };
  moveEvent(world, upload, true);
  world.log.record({
    kind: 'effect',
    route: what,
    request: 0,
    what: `${what}-ended`,
    detail: { uploadId: upload.id, fileName: upload.fileName, as: upload[what].status },
  });
}

/** What the analysis makes of a document, by field: the code of its type, and texts. */
export function guessValues(fileName: string): Readonly<Record<string, string>> {
  const stem = stemOf(fileName);
  return {
    type: /(^|[^a-z])dwg([^a-z]|$)/i.test(stem) ? 'DWG' : 'DOC',
    description: `About ${stem}`,
    number: stem.slice(0, 60),
    revision: 'A',
    date_authored: '2025-01-15T00:00:00Z',
  };
}

function analyse(project: Project, upload: DocumentUpload): boolean {
  for (const [name, guess] of Object.entries(guessValues(upload.fileName))) {
    const field = fieldNamed(project, name);
    const value = field?.type === 'lov_entry' ? field.values.find(({ code }) => code === guess)?.id : guess;
    if (value !== undefined) fillEmpty(project, upload, name, value, 'ML', 0.9);
  }
  return true;
}

/** Reads PROJECT-ORIGINATOR-TYPE-NUMBER-REVISION and computes the name from it, without the revision. */
function scrapeFileName(world: World, project: Project, upload: DocumentUpload): boolean {
  const parts = project.namingStandard?.parts ?? [];
  const texts = stemOf(upload.fileName).split('-');
  const read = new Map(parts.map((part, index) => [part.name, texts[index] ?? '']));
  let complete = texts.length === parts.length && texts.every(text => text !== '');
  if (complete) {
    for (const { name, type } of parts) {
      const text = read.get(name) ?? '';
      const field = fieldNamed(project, name);
      if (field === undefined) continue;
      const value =
        type === 'lov_entry' ? field.values.find(entry => entry.code === text && entry.active)?.id : text;
      if (value === undefined) {
        complete = false;
        if (valuesOf(project, upload, name).length === 0) {
          upload.fields[field.id] = { values: [], source: 'SCRAPING_FAILED' };
        }
      } else fillEmpty(project, upload, name, value, 'FILENAME_SCRAPING');
    }
  }
  if (complete) {
    const revised = texts.slice(0, -1).join('-');
    fillEmpty(project, upload, 'name', revised, 'FILENAME_SCRAPING');
  } else if (world.settings.nameSource === 'file-name') {
    fillEmpty(project, upload, 'name', upload.fileName, 'SYSTEM');
  }
  return complete && textOf(project, upload, 'name') !== '';
}

function fillEmpty(
  project: Project,
  upload: DocumentUpload,
  name: string,
  value: string,
  source: LabelSource,
  confidence?: number,
): void {
  const field = fieldNamed(project, name);
  if (field === undefined || (upload.fields[field.id]?.values.length ?? 0) > 0) return;
  setField(upload, field.id, [value], source, confidence);
}

function stemOf(fileName: string): string {
  return fileName.replace(/\.[^.]{1,8}$/, '') || fileName;
}
