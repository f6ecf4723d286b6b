/** Step 8: uploads are submitted and become document revisions. */
import { z } from 'zod';
import type { DocumentUpload, Project } from '../entities';
import { type Answer, type ErrorDetail, errorAnswer, invalidProperty, Refusal } from '../http/answer';
import { checkBody } from '../http/body';
import type { Route, RouteRequest } from '../http/route';
import { isUlid, shuffled } from '../identifiers';
import { requireProject } from '../rules/access';
import { makeRevision } from '../rules/make-revision';
import { refuseForItem } from '../rules/ordered-refusal';
import { settleProcessing } from '../rules/processing';
import { noticeRepeatedIds, refuseTooMany, uploadItems } from '../rules/request-items';
import { type Objection, objectionTo } from '../rules/submission-objections';
import { moveEvent } from '../rules/upload-fields';
import type { World } from '../world';

const submitSchema = z.strictObject({
  uploads: z
    .array(
      z.strictObject({
        id: z.string().refine(isUlid, 'not a valid ULID'),
        upload_latest_event_id: z.string().min(1),
        termination_reason: z.string().min(1).optional(),
        terminated_revision_status_id: z.string().min(1).optional(),
      }),
    )
    .min(1),
  file_locked: z.boolean().optional(),
});

type Submission = z.infer<typeof submitSchema>['uploads'][number];

interface Failure {
  upload_id: string;
  reason_code: string;
  message: string;
}

export const revisionRoute: Route = {
  key: 'revisions.create',
  origin: 'api',
  method: 'POST',
  path: '/rest/v2.1/companies/:company/projects/:project/document_management/document_revisions',
  access: 'company',
  body: 'json',
  items: ({ body }, world) => uploadItems(world, body, 'uploads'),
  handle(request, world): Answer {
    const project = requireProject(world, request);
    refuseTooMany(world, request, 'uploads');
    const body = checkBody(submitSchema, request.body);
    checkTerminations(project, body.uploads);
    noticeRepeatedIds(
      world,
      request,
      body.uploads.map(({ id }) => id),
    );
    refuseTwice(body.uploads);
    const items = uploadItems(world, body, 'uploads');
    refuseForItem(world, request, items, 422);
    refuseObjectionable(world, request, project, body.uploads);

    const ids: string[] = [];
    const failures: Failure[] = [];
    for (const [position, submission] of body.uploads.entries()) {
      const upload = world.uploads.get(submission.id);
      const item = items[position];
      if (upload === undefined || item === undefined) continue;
      const reasonCode = whyFailed(world, request, upload, submission, item);
      if (reasonCode !== null) {
        failures.push({
          upload_id: upload.id,
          reason_code: reasonCode,
          message: 'The upload was not submitted',
        });
      } else ids.push(submit(world, request, project, upload, submission));
    }
    const shown = world.settings.shuffleAnswers ? shuffled(failures, world.chance) : failures;
    const failureIds = shown.length === 0 ? {} : { failureIds: shown.map(({ upload_id }) => upload_id) };
    return { status: 201, json: { data: { ids, failures: shown, ...failureIds } } };
  },
};

/** An upload is consumed by its submission; a request that consumes it twice means nothing. */
function refuseTwice(submissions: readonly Submission[]): void {
  const seen = new Set<string>();
  const problems = submissions.flatMap(({ id }, index) => {
    if (seen.has(id)) return [{ field: `uploads[${index}].id`, message: 'comes twice in this request' }];
    seen.add(id);
    return [];
  });
  if (problems.length > 0) throw invalidProperty(problems);
}

/** Reason and status come together, and the status is an active one of this project. */
function checkTerminations(project: Project, submissions: readonly Submission[]): void {
  const statuses = project.fields.find(({ name }) => name === 'status')?.values ?? [];
  const problems = submissions.flatMap((submission, index) => {
    const { termination_reason: reason, terminated_revision_status_id: statusId } = submission;
    const path = `uploads[${index}]`;
    if ((reason === undefined) !== (statusId === undefined)) {
      const absent = reason === undefined ? 'termination_reason' : 'terminated_revision_status_id';
      return [{ field: `${path}.${absent}`, message: 'required together with its counterpart' }];
    }
    if (statusId === undefined || statuses.some(({ id, active }) => id === statusId && active)) return [];
    return [
      { field: `${path}.terminated_revision_status_id`, message: 'not an active value of the field status' },
    ];
  });
  if (problems.length > 0) throw invalidProperty(problems);
}

/** One objection refuses all; every objection is told. */
function refuseObjectionable(
  world: World,
  request: RouteRequest,
  project: Project,
  submissions: readonly Submission[],
): void {
  const found: { submission: Submission; upload: DocumentUpload | undefined; objection: Objection }[] = [];
  const revisionsAsked = new Set<string>();
  for (const submission of submissions) {
    const upload = world.uploads.get(submission.id);
    if (upload !== undefined) settleProcessing(world, upload);
    const terminates = submission.termination_reason !== undefined;
    const objection = objectionTo(world, project, upload, terminates, revisionsAsked);
    if (objection !== null) found.push({ submission, upload, objection });
  }
  if (found.length === 0) return;
  for (const { upload, objection } of found) {
    if (upload === undefined) continue;
    if (objection.reasonCode === 'FILE_KEY_MISMATCH') {
      const detail = { uploadId: upload.id, fileName: upload.fileName };
      world.log.violation('incomplete-upload-submitted', request.route, request.number, detail);
    }
    if (objection.reasonCode !== 'WORKFLOW_CONFLICT') continue;
    upload.conflictTold = true;
    if (world.settings.conflictMovesEventId) moveEvent(world, upload);
    else world.uploads.put(upload);
  }
  const details = found.map(({ submission, objection }): ErrorDetail => {
    const isConflict = objection.reasonCode === 'WORKFLOW_CONFLICT';
    const isNamed = isConflict || world.settings.refusalsName === 'every-upload';
    return {
      reason_code: objection.reasonCode,
      message: objection.message,
      ...(isNamed ? { source: submission.id } : {}),
      ...objection.detail,
    };
  });
  const onlyMissing = found.every(({ objection }) => objection.reasonCode === 'UPLOAD_NOT_FOUND');
  throw new Refusal(errorAnswer(onlyMissing ? world.settings.consumedStatus : 422, details));
}

/** The reason code for failures[], or null. */
function whyFailed(
  world: World,
  request: RouteRequest,
  upload: DocumentUpload,
  submission: Submission,
  item: { position: number },
): string | null {
  const strike = world.faults.takeForItem(request.route, ['item-failure'], item);
  if (strike !== null) return strike.action.reasonCode;
  if (upload.presence !== 'present') return 'UNKNOWN_FAILURE';
  const isStale = submission.upload_latest_event_id !== upload.latestEventId;
  noticeEventId(world, request, upload, submission.upload_latest_event_id, isStale);
  return isStale && world.settings.checkEventId ? 'CONCURRENCY_CONFLICT' : null;
}

/**
 * An event id comes from a reading of this upload; one of an earlier moment is only late. That an analysis
 * has ended since the last reading nobody can know who need not wait for it: he is told to read again.
 */
function noticeEventId(
  world: World,
  request: RouteRequest,
  upload: DocumentUpload,
  eventId: string,
  isStale: boolean,
): void {
  const detail = { uploadId: upload.id, fileName: upload.fileName };
  if (upload.shownEventIds?.includes(eventId) !== true)
    world.log.violation('event-id-never-given', request.route, request.number, detail);
  else if (isStale && upload.overtakenUnseen !== eventId)
    world.log.remark('stale-event-id', request.route, request.number, detail);
}

function submit(
  world: World,
  request: RouteRequest,
  project: Project,
  upload: DocumentUpload,
  submission: Submission,
): string {
  const { termination_reason: reason, terminated_revision_status_id: statusId } = submission;
  const termination = reason !== undefined && statusId !== undefined ? { reason, statusId } : undefined;
  if (termination !== undefined && upload.conflictTold !== true) {
    const unasked = { uploadId: upload.id, fileName: upload.fileName };
    world.log.violation('termination-unasked', request.route, request.number, unasked);
  }
  const revision = makeRevision(world, project, upload, request.caller.userId, termination);
  const detail = {
    uploadId: upload.id,
    revisionId: revision.id,
    fileName: upload.fileName,
    containerId: revision.containerId,
    version: revision.version,
    ...(termination === undefined ? {} : { terminated: true }),
  };
  world.log.record({
    kind: 'effect',
    route: request.route,
    request: request.number,
    what: 'revision-created',
    detail,
  });
  for (const id of world.revisionNames.namesakes(revision)) {
    const other = world.revisions.get(id);
    if (other?.sha256 !== revision.sha256) continue;
    const twice = { ...detail, otherRevisionId: other.id };
    world.log.violation('same-document-submitted-twice', request.route, request.number, twice);
  }
  return revision.id;
}
