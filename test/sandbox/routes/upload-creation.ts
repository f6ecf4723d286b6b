/** Step 4: document uploads are created, INCOMPLETE and hidden. */
import { z } from 'zod';
import type { DocumentUpload } from '../entities';
import type { RequestItem } from '../faults/fault-book';
import { type Answer, refusal } from '../http/answer';
import { checkBody, fileName, mediaType } from '../http/body';
import type { Route } from '../http/route';
import { requireProject, requireUploadPermission } from '../rules/access';
import { refuseForItem } from '../rules/ordered-refusal';
import { namedItems, refuseTooMany } from '../rules/request-items';
import { fieldNamed, setField } from '../rules/upload-fields';
import { documentUpload } from '../webhooks/document-upload';
import { emit } from '../webhooks/emit';
import type { World } from '../world';

const createSchema = z.strictObject({
  uploads: z
    .array(
      z.strictObject({
        file_name: fileName,
        mime_type: mediaType,
        file_locked: z.boolean().optional(),
      }),
    )
    .min(1),
});

export const uploadCreationRoute: Route = {
  key: 'uploads.create',
  origin: 'api',
  method: 'POST',
  path: '/rest/v2.0/companies/:company/projects/:project/document_management/document_uploads',
  access: 'company',
  body: 'json',
  items: ({ body }) => namedItems(body, 'uploads'),
  handle(request, world): Answer {
    const project = requireProject(world, request);
    requireUploadPermission(project);
    refuseTooMany(world, request, 'uploads');
    const { uploads: wanted } = checkBody(createSchema, request.body);
    if (!project.configured) throw refusal(404, 'NOT_FOUND', 'The naming standard configuration is missing');
    const items = wanted.map((upload, position) => ({ position, fileName: upload.file_name }));
    refuseForItem(world, request, items);
    const created = wanted.map((item): DocumentUpload => {
      const upload: DocumentUpload = {
        id: world.newId(),
        projectId: project.id,
        fileName: item.file_name,
        mimeType: item.mime_type,
        fileLocked: item.file_locked ?? false,
        status: 'INCOMPLETE',
        presence: 'present',
        createdAt: world.now(),
        latestEventId: world.newId(),
        fields: {},
        analysis: { status: 'not_started' },
        scraping: { status: 'not_started' },
      };
      const name = fieldNamed(project, 'name');
      // With a naming standard the name is computed when the file name is read.
      const named = world.settings.nameSource === 'file-name' && project.namingStandard === undefined;
      if (name !== undefined && named) setField(upload, name.id, [item.file_name], 'SYSTEM');
      world.uploadNames.add(upload);
      return world.uploads.put(upload);
    });
    world.log.record({
      kind: 'effect',
      route: request.route,
      request: request.number,
      what: 'uploads-created',
      detail: { uploads: created.map(({ id, fileName }) => ({ uploadId: id, fileName })) },
    });
    for (const { id } of created) emit(world, documentUpload(project, id, 'create', request));
    const data = created.map(({ id, fileLocked }) => ({ id, file_locked: fileLocked }));
    return { status: 201, json: { data: spoil(world, request.route, items, data) } };
  },
};

/** Faults that make the ids of the answer disagree with the request. */
function spoil<T extends { id: string }>(
  world: World,
  route: string,
  items: readonly RequestItem[],
  data: T[],
): T[] {
  const spoiled = [...data];
  for (const item of items) {
    const strike = world.faults.takeForItem(route, ['extra-id', 'missing-id', 'swap-ids'], item);
    const here = spoiled.findIndex(({ id }) => id === data[item.position]?.id);
    const row = spoiled[here];
    if (strike === null || row === undefined) continue;
    if (strike.action.kind === 'extra-id') spoiled.splice(here, 0, { ...row, id: world.newId() });
    else if (strike.action.kind === 'missing-id') spoiled.splice(here, 1);
    else {
      const other = here + 1 < spoiled.length ? here + 1 : 0;
      spoiled[here] = spoiled[other] ?? row;
      spoiled[other] = row;
    }
  }
  return spoiled;
}
