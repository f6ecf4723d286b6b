/** Step 6: files are linked, uploads completed, field values written. */
import { z } from 'zod';
import { WORKFLOW_FIELDS } from '../content/fields';
import type { DocumentUpload, FileUpload, Project } from '../entities';
import { type Answer, errorAnswer, invalidProperty, Refusal } from '../http/answer';
import { checkBody } from '../http/body';
import type { Route, RouteRequest } from '../http/route';
import { isUlid, shuffled } from '../identifiers';
import { requireProject, requireUploadPermission } from '../rules/access';
import { isAvailable } from '../rules/file-state';
import { refuseForItem } from '../rules/ordered-refusal';
import { settleProcessing, startProcessing } from '../rules/processing';
import { noticeRepeatedIds, refuseTooMany, uploadItems } from '../rules/request-items';
import { moveEvent, setField, whyUnacceptable } from '../rules/upload-fields';
import { documentUpload } from '../webhooks/document-upload';
import { emit } from '../webhooks/emit';
import type { World } from '../world';

const ulid = z.string().refine(isUlid, 'not a valid ULID');

const patchSchema = z.strictObject({
  update_params: z
    .array(
      z.strictObject({
        id: ulid,
        file_upload_id: ulid.optional(),
        upload_status: z.enum(['INCOMPLETE', 'COMPLETED', 'PLACEHOLDER']).optional(),
        file_locked: z.boolean().optional(),
        fields: z.array(z.strictObject({ id: z.string().min(1), values: z.array(z.string()) })).optional(),
      }),
    )
    .min(1),
  update_all_document_uploads: z.boolean().optional(),
  only_update_empty_fields: z.boolean().optional(),
});

type UpdateItem = z.infer<typeof patchSchema>['update_params'][number];

interface Failure {
  id: string;
  code: number;
  message: string;
}

export const uploadUpdateRoute: Route = {
  key: 'uploads.patch',
  origin: 'api',
  method: 'PATCH',
  path: '/rest/v2.0/companies/:company/projects/:project/document_management/document_uploads',
  access: 'company',
  body: 'json',
  items: ({ body }, world) => uploadItems(world, body, 'update_params'),
  handle(request, world): Answer {
    const project = requireProject(world, request);
    requireUploadPermission(project);
    refuseTooMany(world, request, 'update_params');
    const body = checkBody(patchSchema, request.body);
    if (body.update_all_document_uploads === true) {
      world.log.violation('update-all-uploads', request.route, request.number);
      throw invalidProperty([{ field: 'update_all_document_uploads', message: 'refused by this stand-in' }]);
    }
    const items = body.update_params;
    noticeRepeatedIds(
      world,
      request,
      items.map(({ id }) => id),
    );
    noticeEmptyUpdates(world, request, items);
    checkFields(project, items);
    refuseForItem(world, request, uploadItems(world, body, 'update_params'));
    refuseImpossibleLinks(world, request, project, items);

    const success: { id: string }[] = [];
    const failed: Failure[] = [];
    for (const [position, item] of items.entries()) {
      const upload = uploadOf(world, project, item.id);
      // Unknown, consumed and deleted ids are dropped without a word.
      if (upload === undefined) continue;
      const place = { position, uploadId: upload.id, fileName: upload.fileName };
      if (world.faults.takeForItem(request.route, ['drop-from-207'], place) !== null) continue;
      const failure = whyNotStored(world, request, project, upload, item, position);
      if (failure !== null) failed.push(failure);
      else {
        apply(world, request, project, upload, item, body.only_update_empty_fields ?? false);
        success.push({ id: upload.id });
      }
    }
    const order = <T>(rows: T[]) => (world.settings.shuffleAnswers ? shuffled(rows, world.chance) : rows);
    return { status: 207, json: { data: { success: order(success), failed: order(failed) } } };
  },
};

function uploadOf(world: World, project: Project, id: string): DocumentUpload | undefined {
  const upload = world.uploads.get(id);
  if (upload?.projectId !== project.id || upload.presence !== 'present') return undefined;
  settleProcessing(world, upload);
  return upload;
}

/** An item that names an upload and nothing to do with it. */
function noticeEmptyUpdates(world: World, request: RouteRequest, items: readonly UpdateItem[]): void {
  for (const { id, fields, ...rest } of items) {
    const isEmpty = (fields ?? []).length === 0 && Object.values(rest).every(value => value === undefined);
    if (isEmpty) world.log.violation('empty-update', request.route, request.number, { uploadId: id });
  }
}

/** Schema validation goes as far as the project's fields and values; nothing is applied when it fails. */
function checkFields(project: Project, items: readonly UpdateItem[]): void {
  const problems: { field: string; message: string }[] = [];
  for (const [index, item] of items.entries()) {
    for (const [at, { id, values }] of (item.fields ?? []).entries()) {
      const path = `update_params[${index}].fields[${at}]`;
      const field = project.fields.find(known => known.id === id);
      if (field === undefined) problems.push({ field: `${path}.id`, message: 'not a field of this project' });
      else {
        const problem = whyUnacceptable(project, field, values);
        if (problem !== null) problems.push({ field: `${path}.values`, message: problem });
      }
    }
  }
  if (problems.length > 0) throw invalidProperty(problems);
}

/** The three 500s of Step 6; none of them has a reason code of its own. */
function refuseImpossibleLinks(
  world: World,
  request: RouteRequest,
  project: Project,
  items: readonly UpdateItem[],
): void {
  const taken = new Map<string, string>();
  for (const [position, item] of items.entries()) {
    const upload = uploadOf(world, project, item.id);
    if (upload === undefined) continue;
    const place = { position, uploadId: upload.id, fileName: upload.fileName };
    if (world.faults.takeForItem(request.route, ['storage-unverified'], place) !== null) {
      throw internalError('Storage verification failed');
    }
    if (item.file_upload_id !== undefined) {
      const linkedTo = taken.get(item.file_upload_id) ?? world.files.get(item.file_upload_id)?.linkedTo;
      if (linkedTo !== undefined && linkedTo !== upload.id) {
        throw internalError('The file is linked to another upload');
      }
      taken.set(item.file_upload_id, upload.id);
    }
    // An upload becomes COMPLETED only together with its file; completing it again is harmless.
    const hasFile =
      item.file_upload_id !== undefined || (upload.status === 'COMPLETED' && upload.fileUploadId);
    if (item.upload_status === 'COMPLETED' && !hasFile)
      throw internalError('There is no file to complete it with');
    if (
      upload.status === 'COMPLETED' &&
      item.upload_status !== undefined &&
      item.upload_status !== 'COMPLETED'
    ) {
      throw invalidProperty([
        { field: `update_params[${position}].upload_status`, message: 'a completed upload stays completed' },
      ]);
    }
  }
}

/** The entry for failed[] when storage cannot confirm the file, or null. */
function whyNotStored(
  world: World,
  request: RouteRequest,
  project: Project,
  upload: DocumentUpload,
  item: UpdateItem,
  position: number,
): Failure | null {
  if (item.upload_status !== 'COMPLETED') return null;
  const place = { position, uploadId: upload.id, fileName: upload.fileName };
  const strike = world.faults.takeForItem(request.route, ['fail-in-207'], place);
  if (strike !== null) return { id: upload.id, code: strike.action.code, message: 'not found in storage' };
  // Repeating what is done already needs no second look at storage.
  if (item.file_upload_id === undefined || item.file_upload_id === upload.fileUploadId) {
    if (upload.status === 'COMPLETED') return null;
  }
  const file = world.files.get(item.file_upload_id ?? '');
  if (file !== undefined && mayUse(world, file, project, request) && isAvailable(world, file)) return null;
  if (file !== undefined && world.now() < file.linkBy) {
    const detail = { uploadId: upload.id, fileUploadId: file.id, fileName: upload.fileName };
    world.log.violation('linked-before-available', request.route, request.number, detail);
  }
  return { id: upload.id, code: 404, message: 'not found in storage' };
}

function mayUse(world: World, file: FileUpload, project: Project, { caller }: RouteRequest): boolean {
  const kept = file.linkedTo !== undefined || world.now() < file.linkBy;
  return kept && file.ownerId === caller.userId && (file.projectId === null || file.projectId === project.id);
}

function apply(
  world: World,
  request: RouteRequest,
  project: Project,
  upload: DocumentUpload,
  item: UpdateItem,
  onlyEmpty: boolean,
): void {
  const before = upload.status;
  if (item.file_upload_id !== undefined) link(world, request, upload, item.file_upload_id);
  if (item.file_locked !== undefined) upload.fileLocked = item.file_locked;
  const written: string[] = [];
  for (const { id, values } of item.fields ?? []) {
    if (onlyEmpty && (upload.fields[id]?.values.length ?? 0) > 0) continue;
    setField(upload, id, values, 'MANUAL');
    const name = project.fields.find(field => field.id === id)?.name ?? id;
    if (WORKFLOW_FIELDS.has(name)) {
      world.log.violation('workflow-field-written', request.route, request.number, {
        uploadId: upload.id,
        name,
      });
    }
    written.push(name);
  }
  if (item.upload_status !== undefined) upload.status = item.upload_status;
  const completes = before !== 'COMPLETED' && upload.status === 'COMPLETED';
  if (completes) {
    upload.completedAt = world.now();
    startProcessing(world, project, upload);
    noticeSecondUpload(world, request, upload);
    emit(world, documentUpload(project, upload.id, 'update', request));
  }
  moveEvent(world, upload);
  world.log.record({
    kind: 'effect',
    route: request.route,
    request: request.number,
    what: completes ? 'upload-completed' : 'upload-updated',
    detail: {
      uploadId: upload.id,
      fileName: upload.fileName,
      ...(item.file_upload_id === undefined ? {} : { fileUploadId: item.file_upload_id }),
      ...(written.length === 0 ? {} : { fields: written }),
    },
  });
}

function link(world: World, request: RouteRequest, upload: DocumentUpload, fileId: string): void {
  const file = world.files.get(fileId);
  if (file !== undefined && file.linkedTo === undefined) world.files.put({ ...file, linkedTo: upload.id });
  if (upload.fileUploadId === fileId) return;
  // Ids of Step 4 may have changed places: then the right file is put in the place of another one's.
  const lying = world.files.get(upload.fileUploadId ?? '')?.fileName;
  const isPutRight = lying !== upload.fileName && file?.fileName === upload.fileName;
  if (upload.status === 'COMPLETED' && upload.mayBeRelinked !== true && !isPutRight) {
    const detail = { uploadId: upload.id, fileName: upload.fileName };
    world.log.violation('completed-upload-relinked', request.route, request.number, detail);
  }
  upload.fileUploadId = fileId;
  delete upload.mayBeRelinked;
}

/** Two live uploads of one document would become two revisions. */
function noticeSecondUpload(world: World, request: RouteRequest, upload: DocumentUpload): void {
  const sha256 = world.files.get(upload.fileUploadId ?? '')?.sha256;
  for (const id of world.uploadNames.namesakes(upload)) {
    const other = world.uploads.get(id);
    if (other?.presence !== 'present' || other.status !== 'COMPLETED') continue;
    if (world.files.get(other.fileUploadId ?? '')?.sha256 !== sha256) continue;
    const detail = { uploadId: upload.id, otherId: other.id, fileName: upload.fileName };
    world.log.violation('second-live-upload', request.route, request.number, detail);
  }
}

function internalError(message: string): Refusal {
  return new Refusal(errorAnswer(500, [{ reason_code: 'INTERNAL_ERROR', message }]));
}
