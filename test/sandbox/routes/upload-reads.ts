/** Step 7, the bulk read and the list of uploads. */
import { z } from 'zod';
import type { DocumentUpload, Project } from '../entities';
import { type Answer, invalidProperty, refusal } from '../http/answer';
import { checkBody } from '../http/body';
import { DOCUMENT_PAGES, pageAnswer } from '../http/pages';
import type { Route, RouteRequest } from '../http/route';
import { isUlid, shuffled } from '../identifiers';
import { requireProject } from '../rules/access';
import { noticePolling } from '../rules/polling';
import { settleProcessing } from '../rules/processing';
import { noticeRepeatedIds, noticeTooMany } from '../rules/request-items';
import { textOf } from '../rules/upload-fields';
import { wireListedUpload, wireUpload } from '../rules/wire-upload';
import type { World } from '../world';

const selectedSchema = z.strictObject({
  ids: z.array(z.string().refine(isUlid, 'not a valid ULID')).min(1).max(1000),
});

function documentManagement(version: string): string {
  return `/rest/v${version}/companies/:company/projects/:project/document_management`;
}

const showRoute: Route = {
  key: 'uploads.show',
  origin: 'api',
  method: 'GET',
  path: `${documentManagement('2.0')}/document_uploads/:upload`,
  access: 'company',
  body: 'none',
  items: ({ params }, world) => idItems(world, [params.upload]),
  handle(request, world): Answer {
    const project = requireProject(world, request);
    const upload = world.uploads.get(request.params.upload ?? '');
    const hidden = upload?.status === 'INCOMPLETE' && world.settings.incompleteIsHidden;
    if (upload?.projectId !== project.id || upload.presence === 'consumed' || hidden) {
      throw refusal(404, 'UPLOAD_NOT_FOUND', 'There is no such upload');
    }
    if (upload.presence === 'deleted') throw refusal(410, 'UPLOAD_DELETED', 'The upload was deleted');
    settleProcessing(world, upload);
    noticePolling(world, request, upload);
    const data = { ...wireUpload(world, project, upload), permissions: { allowed_actions: [] } };
    return { status: 200, json: { data } };
  },
};

/** The current form answers 200; the two deprecated ones 201. */
const selectedRoutes = ['2.2', '2.1', '2.0'].map(
  (version): Route => ({
    key: 'uploads.selected',
    origin: 'api',
    method: 'POST',
    path: `${documentManagement(version)}/document_uploads/selected_uploads`,
    access: 'company',
    body: 'json',
    items: ({ body }, world) => idItems(world, (body as { ids?: unknown } | undefined)?.ids),
    handle(request, world): Answer {
      const project = requireProject(world, request);
      if (!world.settings.bulkRead) throw refusal(404, 'NOT_FOUND', 'There is no such path');
      const deprecated = version !== '2.2';
      if (deprecated) world.log.violation('deprecated-path', request.route, request.number, { version });
      const { ids } = checkBody(selectedSchema, request.body);
      noticeTooMany(world, request, ids.length);
      noticeRepeatedIds(world, request, ids);
      const found = [...new Set(ids)].flatMap(id => {
        const upload = world.uploads.get(id);
        return upload !== undefined && isListed(upload, project) ? [upload] : [];
      });
      return listAnswer(found, request, world, project, deprecated ? 201 : 200);
    },
  }),
);

const listRoutes = ['2.0', '2.1'].map(
  (version): Route => ({
    key: 'uploads.list',
    origin: 'api',
    method: 'GET',
    path: `${documentManagement(version)}/document_uploads`,
    access: 'company',
    body: 'none',
    handle(request, world): Answer {
      const project = requireProject(world, request);
      if ([...request.query.keys()].some(key => key.startsWith('filters'))) {
        throw invalidProperty([{ field: 'filters', message: 'not played by this stand-in' }]);
      }
      const search = (request.query.get('search') ?? '').toLowerCase();
      const found = [...world.uploads.values()].filter(
        upload => isListed(upload, project) && textOf(project, upload, 'name').toLowerCase().includes(search),
      );
      return listAnswer(sorted(found, request, project), request, world, project, 200);
    },
  }),
);

export const uploadReadRoutes: readonly Route[] = [showRoute, ...selectedRoutes, ...listRoutes];

/** In neither list: uploads still INCOMPLETE, and those submitted or deleted. */
function isListed(upload: DocumentUpload, project: Project): boolean {
  return upload.projectId === project.id && upload.presence === 'present' && upload.status !== 'INCOMPLETE';
}

function listAnswer(
  uploads: readonly DocumentUpload[],
  request: RouteRequest,
  world: World,
  project: Project,
  status: number,
): Answer {
  const wire = (page: DocumentUpload[]) => {
    const rows = page.map(upload => {
      settleProcessing(world, upload);
      noticePolling(world, request, upload);
      return wireListedUpload(world, project, upload);
    });
    return { data: world.settings.shuffleAnswers ? shuffled(rows, world.chance) : rows };
  };
  return pageAnswer(uploads, request, world, DOCUMENT_PAGES, wire, status);
}

function sorted(uploads: DocumentUpload[], { query }: RouteRequest, project: Project): DocumentUpload[] {
  const sort = query.get('sort') ?? 'id';
  const field = project.fields.find(({ id }) => id === sort);
  if (field === undefined && sort !== 'id')
    throw invalidProperty([{ field: 'sort', message: 'not a field id' }]);
  const keyOf = (upload: DocumentUpload) =>
    field === undefined ? upload.id : textOf(project, upload, field.name);
  return uploads.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

function idItems(world: World, ids: unknown) {
  if (!Array.isArray(ids)) return [];
  return ids.map((uploadId: unknown, position) => {
    if (typeof uploadId !== 'string') return { position };
    const fileName = world.uploads.get(uploadId)?.fileName;
    return { position, uploadId, ...(fileName === undefined ? {} : { fileName }) };
  });
}
