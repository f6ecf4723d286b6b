/** What goes over the control port, for its server and its client. */
import { z } from 'zod';
import type { Outage } from '../http/origin';

const text = z.string().min(1);
const upload = { uploadId: text.optional(), fileName: text.optional() };

/**
 * What a person or an administrator does to a project in the web interface. Fields go
 * by name, values by code or text.
 */
export const projectEditSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('permissions'),
    read: z.boolean().optional(),
    upload: z.boolean().optional(),
    submit: z.boolean().optional(),
    terminateWorkflows: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('configured'), configured: z.boolean() }),
  z.strictObject({
    kind: z.literal('add-value'),
    field: text,
    code: text,
    label: text,
    active: z.boolean().default(true),
  }),
  z.strictObject({ kind: z.literal('set-value-active'), field: text, code: text, active: z.boolean() }),
  z.strictObject({
    kind: z.literal('add-field'),
    name: text,
    label: text,
    type: z.enum(['lov_entry', 'lov_entries', 'string', 'rich_text', 'numeric', 'timestamp']),
  }),
  z.strictObject({
    kind: z.literal('set-field'),
    field: text,
    label: text.optional(),
    active: z.boolean().optional(),
    visible: z.boolean().optional(),
    readonly: z.boolean().optional(),
  }),
  /** Replaces the requirement with the same qualifiers, else adds one. */
  z.strictObject({
    kind: z.literal('set-requirement'),
    qualifiers: z.array(z.strictObject({ field: text, codes: z.array(text).min(1) })).default([]),
    additional: z.array(text).default([]),
    allowDuplicateRevisions: z.boolean().default(true),
  }),
  /** Gives a document an active workflow; the document is made, with one revision, when it does not exist. */
  z.strictObject({
    kind: z.literal('start-workflow'),
    name: text,
    mimeType: text.default('application/pdf'),
    revision: text.default('0'),
    workflow: text.default('Design review'),
    step: text.default('Check'),
  }),
  z.strictObject({ kind: z.literal('end-workflow'), name: text, mimeType: text.default('application/pdf') }),
  /** A document with this revision that somebody else submitted. */
  z.strictObject({
    kind: z.literal('add-revision'),
    name: text,
    mimeType: text.default('application/pdf'),
    revision: text,
  }),
  z.strictObject({ kind: z.literal('edit-upload'), ...upload, field: text, values: z.array(z.string()) }),
  /** From then on Step 7 answers 410. */
  z.strictObject({ kind: z.literal('delete-upload'), ...upload }),
  z.strictObject({ kind: z.literal('submit-upload'), ...upload }),
]);

export type ProjectEdit = z.input<typeof projectEditSchema>;

const outage = z.enum(['none', 'refuse', 'reset', 'silent'] satisfies Outage[]);
export const outagesSchema = z.strictObject({
  api: outage.optional(),
  auth: outage.optional(),
  storage: outage.optional(),
});
export type Outages = z.infer<typeof outagesSchema>;

/** What finally exists. */
export interface SandboxRevision {
  id: string;
  projectId: string;
  containerId: string;
  /** null: made by a person. */
  uploadId: string | null;
  /** Step 4's file_name. */
  fileName: string;
  /** The field `name`. */
  name: string;
  revision: string;
  version: number;
  /** Of the bytes that were received. */
  sha256: string;
  sizeBytes: number;
  submittedBy: number;
  status: string;
  terminationReason?: string;
  /** Labels or texts by field name. */
  fields: Record<string, string[]>;
}

export interface SandboxUpload {
  id: string;
  projectId: string;
  fileName: string;
  mimeType: string;
  status: 'INCOMPLETE' | 'COMPLETED' | 'PLACEHOLDER';
  presence: 'present' | 'consumed' | 'deleted';
  fileUploadId: string | null;
  latestEventId: string;
  revisionId: string | null;
  analysis: string;
  scraping: string;
  /** Labels or texts by field name, with their source. */
  fields: Record<string, { values: string[]; source: string }>;
}

export interface SandboxFile {
  id: string;
  projectId: string | null;
  fileName: string;
  sizeBytes: number;
  sha256: string;
  state: 'ready' | 'receiving' | 'complete' | 'scanning' | 'available' | 'deleted';
  segments: number;
  segmentsReceived: number;
  linkedTo: string | null;
}

export interface SandboxTokens {
  logins: { id: string; grant: string; userId: number; revoked: boolean }[];
  /** Access tokens that would be accepted now. */
  validAccessTokens: number;
  /** Refresh tokens that were never used. */
  validRefreshTokens: number;
}

/** Tokens made without the authentication origin; the only answer with secrets in it. */
export interface SandboxLogin {
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
}
