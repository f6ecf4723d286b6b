// Why the service refused something (specification, Errors), read from bodies of any shape. Decisions go by
// the reason code and the status; messages are kept for people only.
import { createHash } from 'node:crypto';
import { maskForeignText } from './secret';

/** Codes that the specification names. */
export const REASON_CODES = [
  'INVALID_TOKEN',
  'ACCESS_DENIED',
  'PERMISSION_DENIED',
  'INTERNAL_ERROR',
  'INVALID_PROPERTY',
  'INVALID_INPUT',
  'NOT_FOUND',
  'UPLOAD_NOT_FOUND',
  'FILE_KEY_MISMATCH',
  'DUPLICATE_REVISION',
  'WORKFLOW_CONFLICT',
  'WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION',
  'CONCURRENCY_CONFLICT',
  'UNKNOWN_FAILURE',
] as const;

/** `OTHER` stands for every code we do not know; it falls back to the HTTP status, never to success. */
export type ReasonCode = (typeof REASON_CODES)[number] | 'OTHER';

export interface RefusalReason {
  readonly reasonCode: ReasonCode;
  /** As the service wrote it, at most 64 characters; empty when it gave none. */
  readonly rawCode: string;
  /** For people; masked, at most 300 characters. */
  readonly message: string;
  /** The upload it is about, when the service says so. */
  readonly source?: string;
  /** The property or field it is about, when the service says so. */
  readonly property?: string;
  readonly conflict?: WorkflowConflict;
}

/** The further fields of a WORKFLOW_CONFLICT detail (specification, Errors). */
export interface WorkflowConflict {
  readonly documentContainerId: string | null;
  readonly existingRevisions: readonly ConflictingRevision[];
  readonly conflictingUploads: readonly {
    readonly id: string;
    readonly name: string;
    readonly revision: string;
  }[];
  /** A digest by which just these are known again; absent where none is named, or one without its id. */
  readonly identity?: string;
}

export interface ConflictingRevision {
  readonly id: string;
  readonly name: string;
  readonly revision: string;
  readonly workflowInstanceId: string;
  readonly assignedWorkflow: string;
  readonly workflowCurrentStep: string;
  readonly status: string;
}

// A body of ours has at most 100 items with a few complaints each; more would
// only swell messages and payloads.
const MAX_REASONS = 500;
const MAX_CONFLICT_ENTRIES = 20;

export function toReasonCode(rawCode: string): ReasonCode {
  return REASON_CODES.find(code => code === rawCode) ?? 'OTHER';
}

/**
 * Reads the reasons out of an error body: the document-management envelope, `{errors}`, `{error}`,
 * `{message}`, `{reason}`, a bare text or anything else. Never throws; an unreadable body gives no reasons.
 */
export function parseReasons(body: unknown, secrets: readonly string[] = []): readonly RefusalReason[] {
  if (typeof body === 'string') return body.trim() === '' ? [] : [plainReason('', body, secrets)];
  if (!isRecord(body)) return [];
  const error = isRecord(body.error) ? body.error : undefined;
  const details = firstArray(error?.details, body.details);
  if (details !== undefined && details.length > 0) {
    return details.slice(0, MAX_REASONS).map(detail => toRefusalReason(detail, secrets));
  }
  if (error !== undefined) return [plainReason(reasonCodeOf(error), textOf(error.message), secrets)];
  if (typeof body.error === 'string') {
    return [plainReason(body.error, textOf(body.error_description) || body.error, secrets)];
  }
  if (body.errors !== undefined) return flattenErrors(body.errors, secrets);
  const text = textOf(body.message) || textOf(body.reason);
  const code = reasonCodeOf(body);
  return text === '' && code === '' ? [] : [plainReason(code, text, secrets)];
}

/** Its reason code says more than a code beside it, which may be that of the whole response or its status. */
function reasonCodeOf(body: Readonly<Record<string, unknown>>): string {
  return textOf(body.reason_code) || textOf(body.code).replace(/^\d+$/, '');
}

function toRefusalReason(detail: unknown, secrets: readonly string[]): RefusalReason {
  if (!isRecord(detail)) return plainReason('', textOf(detail), secrets);
  const reason = plainReason(textOf(detail.reason_code), textOf(detail.message), secrets);
  const source = textOf(detail.source) || textOf(detail.upload_id);
  const property = ['property', 'field', 'path', 'parameter']
    .map(key => textOf(detail[key]))
    .find(text => text !== '');
  return {
    ...reason,
    ...(source === '' ? {} : { source: maskForeignText(source, secrets, 64) }),
    ...(property === undefined ? {} : { property: maskForeignText(property, secrets, 100) }),
    ...(reason.reasonCode === 'WORKFLOW_CONFLICT' ? { conflict: toConflict(detail, secrets) } : {}),
  };
}

function toConflict(detail: Readonly<Record<string, unknown>>, secrets: readonly string[]): WorkflowConflict {
  const text = (value: unknown): string => maskForeignText(textOf(value), secrets, 200);
  const identity = identifyReviews(detail);
  const entries = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
    (Array.isArray(value) ? value : []).filter(isRecord).slice(0, MAX_CONFLICT_ENTRIES);
  return {
    documentContainerId: text(detail.document_container_id) || null,
    existingRevisions: entries(detail.existing_revisions_with_workflows).map(revision => ({
      id: text(revision.id),
      name: text(revision.name),
      revision: text(revision.revision),
      workflowInstanceId: text(revision.workflow_instance_id),
      assignedWorkflow: text(revision.assigned_workflow),
      workflowCurrentStep: text(revision.workflow_current_step),
      status: text(revision.status),
    })),
    conflictingUploads: entries(detail.conflicting_uploads_with_workflow).map(upload => ({
      id: text(upload.id),
      name: text(upload.name),
      revision: text(upload.revision),
    })),
    ...(identity === undefined ? {} : { identity }),
  };
}

/**
 * Of all that are named, and of their ids as they came: of what is kept to be told, some may be left out, cut
 * or masked. Not of steps and statuses, which change while a review goes on. An upload's review has no id of
 * its own.
 */
function identifyReviews(detail: Readonly<Record<string, unknown>>): string | undefined {
  const idsOf = (value: unknown, key: string): readonly string[] =>
    (Array.isArray(value) ? value : []).map(one => (isRecord(one) ? textOf(one[key]) : ''));
  const named = [
    idsOf(detail.existing_revisions_with_workflows, 'workflow_instance_id'),
    idsOf(detail.conflicting_uploads_with_workflow, 'id'),
  ].map(ids => ids.toSorted((one, other) => (one < other ? -1 : 1)));
  const all = named.flat();
  if (all.length === 0 || all.includes('')) return undefined;
  return createHash('sha256').update(JSON.stringify(named)).digest('base64url').slice(0, 22);
}

function plainReason(rawCode: string, message: string, secrets: readonly string[]): RefusalReason {
  const code = maskForeignText(rawCode, secrets, 64);
  return { reasonCode: toReasonCode(code), rawCode: code, message: maskForeignText(message, secrets) };
}

/**
 * `{errors: "..."}`, `{errors: [...]}` or `{errors: {field: ["...", ...]}}`
 * (endpoints outside document management).
 */
function flattenErrors(errors: unknown, secrets: readonly string[]): readonly RefusalReason[] {
  if (Array.isArray(errors))
    return errors.slice(0, MAX_REASONS).map(entry => toRefusalReason(entry, secrets));
  if (!isRecord(errors)) return textOf(errors) === '' ? [] : [plainReason('', textOf(errors), secrets)];
  return fieldsOf(errors)
    .slice(0, MAX_REASONS)
    .map(([field, entry]) => ({
      ...plainReason(
        '',
        (Array.isArray(entry)
          ? entry
              .slice(0, 20)
              .map(item => textOf(item))
              .join('; ')
          : textOf(entry)) || field,
        secrets,
      ),
      property: maskForeignText(field, secrets, 100),
    }));
}

/** `{user: {name: ["..."]}}` is about `user.name`. */
function fieldsOf(errors: Readonly<Record<string, unknown>>, before = '', depth = 0): [string, unknown][] {
  return Object.entries(errors).flatMap(([field, entry]): [string, unknown][] => {
    const name = `${before}${field}`;
    const isNested = isRecord(entry) && textOf(entry) === '' && depth < 3;
    return isNested ? fieldsOf(entry, `${name}.`, depth + 1) : [[name, entry]];
  });
}

function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isRecord(value)) {
    // A reference given as an object: `{id, name}` or `{id, label}`.
    if (depth > 2) return '';
    return textOf(value.label, depth + 1) || textOf(value.name, depth + 1) || textOf(value.id, depth + 1);
  }
  return '';
}

function firstArray(...candidates: readonly unknown[]): readonly unknown[] | undefined {
  return candidates.find(candidate => Array.isArray(candidate));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
