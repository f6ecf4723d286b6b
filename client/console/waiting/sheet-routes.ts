// What waits as a sheet: to be filled elsewhere, and read back into the grid, where a person looks and saves.
import type { FastifyInstance } from 'fastify';
import { writeTemplate } from '../../../activities/registers/template/template-workbook';
import type { KeptFields } from '../../../activities/share/register/kept-fields';
import { emptyWordOf } from '../../../workflows/ingest/decide/empty-word';
import { readAnswers } from '../../answers/answer-from-sheet';
import { toSheetAnswers } from '../../answers/sheet-answers';
import { CliError } from '../../session/cli-error';
import { jobParams } from '../contract/common';
import type { SheetTold } from '../contract/waiting';
import { type ConsoleDeps, ConsoleProblem, type ConsoleShare, type Door } from '../serve/module';
import { requireShape } from '../serve/problem';
import { shareOf } from '../serve/share-of';
import { addSheetRoute, sendFile } from '../serve/sheet-files';
import { texts } from '../texts/texts';
import type { AllHeld } from './all-held';
import type { HeldBatch } from './held-listing';
import type { KnownManifests } from './known-manifests';
import { indexNames, listPresent } from './present-values';
import { type ProjectFields, takesOf } from './project-fields';

export interface SheetDeps {
  readonly deps: ConsoleDeps;
  readonly all: AllHeld;
  readonly fields: ProjectFields;
  readonly manifests: KnownManifests;
}

const ADDRESS = '/api/waiting/sheet/:share';
const params = jobParams.pick({ share: true });

export function addSheetRoutes(server: FastifyInstance, door: Door, deps: SheetDeps): void {
  server.get(ADDRESS, async (request, reply) => {
    const { share: name } = requireShape(params, request.params);
    door.person(request, 'see', name);
    const bytes = await writeHeld(deps, shareOf(deps.deps, name));
    return await sendFile(reply, { name: `waiting-${name}.xlsx`, bytes });
  });
  addSheetRoute(
    server,
    door,
    ADDRESS,
    async ({ share, name, bytes }) => await readHeld(deps, shareOf(deps.deps, share), name, bytes),
  );
}

async function requireFields({ fields }: SheetDeps, share: ConsoleShare): Promise<KeptFields['fields']> {
  const kept = await fields.look(share);
  if (kept !== undefined) return kept.fields;
  throw new ConsoleProblem(503, texts.waiting.fieldsUnknown);
}

/** The batches of this share, each with those of its held documents that lack values. */
async function listLacking({ all }: SheetDeps, { config }: ConsoleShare): Promise<readonly HeldBatch[]> {
  const { batches } = await all.list();
  return batches
    .filter(({ share }) => share === config.name)
    .map(batch => ({ ...batch, held: batch.held.filter(({ question }) => question === 'missing-values') }));
}

/** A column for each field that some of them lack, with what is known of it. */
async function writeHeld(deps: SheetDeps, share: ConsoleShare): Promise<Buffer> {
  const fields = await requireFields(deps, share);
  const batches = await listLacking(deps, share);
  const asked = new Set(
    batches.flatMap(({ held }) =>
      held.flatMap(({ missing = [], reason }) => [...missing, ...namedIn(reason.text)]),
    ),
  );
  const shown = fields.filter(({ label, name }) => asked.has(label) || asked.has(name));
  const names = indexNames(fields, share.config);
  const files: { path: string; values: Record<string, string> }[] = [];
  for (const { batchId, held } of batches) {
    const manifest = await deps.manifests.read(share, batchId);
    for (const { index, path } of held) {
      const present = manifest === undefined ? [] : listPresent(manifest, index, share.config, names);
      const known = present.filter(({ field }) => shown.some(({ name }) => name === field));
      files.push({ path, values: Object.fromEntries(known.map(({ field, text }) => [field, text])) });
    }
  }
  if (files.length === 0) throw new ConsoleProblem(404, texts.waiting.nothingLacks);
  return await writeTemplate({
    share: share.config.name,
    project: `project ${share.config.project.projectId}`,
    // What the share gives by itself is optional in a template; here it is asked for.
    fields: shown.map(({ given: _given, ...field }) => field),
    files,
    emptyWord: emptyWordOf(share.config.policy),
    madeAt: deps.deps.now(),
  });
}

/** Labels as faults of a register's row quote them. */
function namedIn(text: string): readonly string[] {
  return [...text.matchAll(/ for "([^"]+)"/g)].map(([, label = '']) => label);
}

async function readHeld(
  deps: SheetDeps,
  share: ConsoleShare,
  name: string,
  bytes: Buffer,
): Promise<SheetTold> {
  const fields = await requireFields(deps, share);
  const known = fields.map(field => ({ name: field.name, label: field.label, takes: takesOf(field) }));
  const sheet = await readAnswers(bytes, name, known, share.config.policy).catch(error => {
    if (error instanceof CliError) throw new ConsoleProblem(422, error.message);
    throw error;
  });
  const batches = await listLacking(deps, share);
  const held = batches.flatMap(batch => batch.held);
  const placesOf = new Map<string, { readonly batchId: string; readonly index: number }[]>();
  for (const { batchId, held: ofBatch } of batches)
    for (const { path, index } of ofBatch)
      placesOf.set(path, [...(placesOf.get(path) ?? []), { batchId, index }]);
  const { answers, refused, unlisted } = toSheetAnswers(sheet.register, sheet.fields, sheet.rules, held);
  // Dropped twice: nothing in a sheet says which of them is meant.
  const isOne = (path: string) => placesOf.get(path)?.length === 1;
  const unclear = [...answers.map(({ path }) => path), ...refused.map(({ document }) => document)].filter(
    path => !isOne(path),
  );
  return {
    rows: answers.flatMap(({ path, answer }) => {
      const [place] = isOne(path) ? (placesOf.get(path) ?? []) : [];
      const values = Object.entries(answer.values ?? {}).map(([field, value]) => [
        field,
        value.length === 0 ? emptyWordOf(share.config.policy) : [value].flat().join('; '),
      ]);
      return place === undefined
        ? []
        : [{ share: share.config.name, ...place, values: Object.fromEntries(values) }];
    }),
    refused: [
      ...refused.filter(({ document }) => isOne(document)).map(({ document, why }) => ({ document, why })),
      ...[...new Set(unclear)].map(path => ({
        document: path,
        why: texts.waiting.severalWait(placesOf.get(path)?.length ?? 0),
      })),
    ],
    unlisted: unlisted.length,
    unread: [...sheet.unread],
  };
}
