/** Step 5 without the bytes: sessions for file uploads, at project and at company level. */
import { z } from 'zod';
import type { FileUpload } from '../entities';
import { type Answer, invalidProperty, refusal } from '../http/answer';
import { checkBody, fileName, mediaType } from '../http/body';
import type { Route, RouteRequest } from '../http/route';
import { requireProject, requireUploadPermission } from '../rules/access';
import { type FileState, fileState } from '../rules/file-state';
import { presign } from '../storage/presigned';
import type { World } from '../world';

const DAY_SECONDS = 86_400;

/** A segment holds at most so much... */
const LARGEST_SEGMENT_BYTES = 100 * 1024 * 1024;
/** ...and, unless it is the last, more than so much. */
const TOO_SMALL_SEGMENT_BYTES = 5 * 1024 * 1024;
const MOST_SEGMENTS = 10_000;

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, '64 hexadecimal digits')
  .toLowerCase();
const md5 = z
  .string()
  .regex(/^[0-9a-f]{32}$/i, '32 hexadecimal digits')
  .toLowerCase();

const createSchema = z.strictObject({
  file_name: fileName,
  file_size: z.number().int().positive(),
  content_type: mediaType,
  sha256,
  md5: md5.optional(),
  segments: z
    .array(z.strictObject({ size: z.number().int().positive(), sha256, md5: md5.optional() }))
    .min(1)
    .max(MOST_SEGMENTS),
});

const patchSchema = z.strictObject({ part_etags: z.array(z.string().min(1).nullable()) });

const PROJECT_LEVEL = '/rest/v2.1/companies/:company/projects/:project/uploads';
const COMPANY_LEVEL = '/rest/v2.1/companies/:company/uploads';

export const fileUploadRoutes: readonly Route[] = [PROJECT_LEVEL, COMPANY_LEVEL].flatMap((path): Route[] => [
  {
    key: 'files.create',
    origin: 'api',
    method: 'POST',
    path,
    access: 'company',
    body: 'json',
    items: ({ body }) => [{ position: 0, ...fileNameOf(body) }],
    handle: createFile,
  },
  {
    key: 'files.patch',
    origin: 'api',
    method: 'PATCH',
    path: `${path}/:file`,
    access: 'company',
    body: 'json',
    items: itemsOfPath,
    handle: reportSegments,
  },
  {
    key: 'files.show',
    origin: 'api',
    method: 'GET',
    path: `${path}/:file`,
    access: 'company',
    body: 'none',
    items: itemsOfPath,
    handle: showFile,
  },
]);

function createFile(request: RouteRequest, world: World): Answer {
  const projectId = requireScope(request, world);
  const body = checkBody(createSchema, request.body);
  checkSegments(body.file_size, body.segments);
  const file = world.files.put({
    id: world.newId(),
    companyId: request.params.company ?? '',
    projectId,
    ownerId: request.caller.userId,
    fileName: body.file_name,
    contentType: body.content_type,
    sizeBytes: body.file_size,
    sha256: body.sha256,
    segments: body.segments.map(segment => ({
      size: segment.size,
      sha256: segment.sha256,
      ...(segment.md5 === undefined ? {} : { md5: segment.md5 }),
      reported: false,
    })),
    createdAt: world.now(),
    linkBy: world.after(keptForSeconds(world, body.file_name) * 1000),
  });
  const item = { position: 0, fileName: file.fileName };
  if (world.faults.takeForItem('scan', ['never-available'], item) !== null) file.neverAvailable = true;
  record(world, request, 'file-created', file, { segments: file.segments.length });
  return {
    status: 201,
    json: {
      data: {
        upload_id: file.id,
        file_name: file.fileName,
        file_size: file.sizeBytes,
        content_type: file.contentType,
        upload_expires_at: Math.floor(file.linkBy / 1000),
        segments: file.segments.map((_, index) => presign(world, file, index)),
        status: 'ready',
      },
    },
  };
}

/** However busy the machine, no file is forgotten more often than was asked for. */
function keptForSeconds(world: World, fileName: string): number {
  const { linkWithinSeconds, mostForgottenOfAName } = world.settings;
  if (mostForgottenOfAName === null) return linkWithinSeconds;
  const forgotten = [...world.files.values()].filter(
    file => file.fileName === fileName && fileState(world, file) === 'deleted',
  );
  return forgotten.length < mostForgottenOfAName ? linkWithinSeconds : DAY_SECONDS;
}

function reportSegments(request: RouteRequest, world: World): Answer {
  const { file } = requireFile(request, world);
  const { part_etags: etags } = checkBody(patchSchema, request.body);
  if (etags.length !== file.segments.length) {
    throw invalidProperty([
      { field: 'part_etags', message: `${file.segments.length} elements are expected` },
    ]);
  }
  const problems = etags.flatMap((etag, index) => {
    if (etag === null || etag === file.segments[index]?.etag) return [];
    const message = /"/.test(etag) ? 'the ETag must not be quoted' : 'not the ETag of this segment';
    return [{ field: `part_etags[${index}]`, message }];
  });
  if (problems.length > 0) throw invalidProperty(problems);
  for (const [index, etag] of etags.entries()) {
    const segment = file.segments[index];
    if (segment !== undefined && etag !== null) segment.reported = true;
  }
  // `null` says that a segment is still to come, whatever was reported before:
  // only a list without one finishes.
  if (file.completedAt === undefined && etags.every(etag => etag !== null)) {
    file.completedAt = world.now();
    file.availableAt = world.after(world.settings.scanMs);
    record(world, request, 'file-completed', file);
  }
  world.files.put(file);
  return { status: 200, json: { data: { upload_id: file.id, status: fileState(world, file) } } };
}

function showFile(request: RouteRequest, world: World): Answer {
  const { file, state } = requireFile(request, world);
  const missing = file.segments.flatMap(({ reported }, index) => (reported ? [] : [index]));
  return {
    status: 200,
    json: {
      data: {
        upload_id: file.id,
        file_name: file.fileName,
        sanitized_file_name: file.fileName.replaceAll(/[^\w.-]+/g, '_'),
        content_type: file.contentType,
        file_size: file.sizeBytes,
        status: state,
        custom_metadata: {},
        // Fresh addresses for every segment whose ETag was not reported yet, in segment order.
        segments: missing.map(index => presign(world, file, index)),
      },
    },
  };
}

/** The project's id, or null at company level. */
function requireScope(request: RouteRequest, world: World): string | null {
  if (request.params.project === undefined) {
    const known = [...world.projects.values()].some(({ companyId }) => companyId === request.params.company);
    if (!known) throw refusal(404, 'NOT_FOUND', 'There is no such company');
    return null;
  }
  const project = requireProject(world, request);
  requireUploadPermission(project);
  return project.id;
}

/** Only the user who created a file upload can look at it and finish it. */
function requireFile(request: RouteRequest, world: World): { file: FileUpload; state: FileState } {
  const projectId = requireScope(request, world);
  const file = world.files.get(request.params.file ?? '');
  if (file === undefined || file.projectId !== projectId) {
    throw refusal(404, 'NOT_FOUND', 'There is no such file upload');
  }
  if (file.ownerId !== request.caller.userId) throw refusal(403, 'ACCESS_DENIED', 'Somebody else created it');
  const state = fileState(world, file);
  if (state === 'deleted') throw refusal(404, 'NOT_FOUND', 'There is no such file upload');
  return { file, state };
}

function checkSegments(fileSize: number, segments: readonly { size: number }[]): void {
  const problems = segments.flatMap(({ size }, index) => {
    const field = `segments[${index}].size`;
    if (size > LARGEST_SEGMENT_BYTES) return [{ field, message: `at most ${LARGEST_SEGMENT_BYTES} bytes` }];
    const tooSmall = index < segments.length - 1 && size <= TOO_SMALL_SEGMENT_BYTES;
    return tooSmall
      ? [{ field, message: `more than ${TOO_SMALL_SEGMENT_BYTES} bytes, but for the last` }]
      : [];
  });
  if (segments.reduce((sum, { size }) => sum + size, 0) !== fileSize) {
    problems.push({ field: 'file_size', message: 'not the sum of the segments' });
  }
  if (problems.length > 0) throw invalidProperty(problems);
}

function itemsOfPath(request: RouteRequest, world: World) {
  const fileName = world.files.get(request.params.file ?? '')?.fileName;
  return [{ position: 0, ...(fileName === undefined ? {} : { fileName }) }];
}

function fileNameOf(body: unknown): { fileName?: string } {
  const name = (body as { file_name?: unknown } | null | undefined)?.file_name;
  return typeof name === 'string' ? { fileName: name } : {};
}

function record(
  world: World,
  request: RouteRequest,
  what: string,
  file: FileUpload,
  more: Record<string, unknown> = {},
): void {
  world.log.record({
    kind: 'effect',
    route: request.route,
    request: request.number,
    what,
    detail: { fileUploadId: file.id, fileName: file.fileName, ...more },
  });
}
