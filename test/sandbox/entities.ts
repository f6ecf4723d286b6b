/** What the stand-in remembers. Plain JSON throughout, so that every record can be written to the journal. */

export type FieldType =
  | 'lov_entry'
  | 'lov_entries'
  | 'reference'
  | 'string'
  | 'rich_text'
  | 'numeric'
  | 'timestamp';

export interface FieldValue {
  id: string;
  code: string;
  label: string;
  active: boolean;
}

export interface ProjectField {
  id: string;
  name: string;
  label: string;
  type: FieldType;
  variant: string;
  description: string;
  active: boolean;
  visible: boolean;
  readonly: boolean;
  customDefinitionId?: string;
  /** Allowed values of list types and location references; empty for the others. */
  values: FieldValue[];
}

/** One condition of a requirement, and the value ids that meet it. */
export interface Qualifier {
  fieldName: string;
  valueIds: string[];
}

export interface UploadRequirement {
  id: string;
  updatedAt: string;
  qualifiers: Qualifier[];
  requiredByProject: string[];
  additional: string[];
  allowDuplicateRevisions: boolean;
}

/** The parts of a file name, in order, separated by a dash. */
export interface NamingStandard {
  id: string;
  name: string;
  updatedAt: string;
  parts: { id: string; name: string; label: string; type: FieldType }[];
}

export interface ProjectUser {
  id: number;
  firstName: string;
  lastName: string;
  email: string;
  templateId: number;
}

export interface Project {
  id: string;
  companyId: string;
  name: string;
  configured: boolean;
  fields: ProjectField[];
  requirements: UploadRequirement[];
  namingStandard?: NamingStandard;
  users: ProjectUser[];
  permissions: { read: boolean; upload: boolean; submit: boolean; terminateWorkflows: boolean };
}

export type LabelSource =
  | 'MANUAL'
  | 'NONE'
  | 'FILENAME_SCRAPING'
  | 'SCRAPING_FAILED'
  | 'ML'
  | 'ML_FAILED'
  | 'SYSTEM';

export interface StoredField {
  /** Value ids for lists and references, one text otherwise. */
  values: string[];
  source: LabelSource;
  confidence?: number;
}

export type ProcessingStatus = 'not_started' | 'in_progress' | 'completed' | 'error' | 'not_applicable';

export interface Processing {
  status: ProcessingStatus;
  /** When it ends (Unix milliseconds); absent while in progress means never. */
  endsAt?: number;
  /** What it ends as. */
  endsAs?: 'completed' | 'error';
}

export type UploadStatus = 'INCOMPLETE' | 'COMPLETED' | 'PLACEHOLDER';

export interface DocumentUpload {
  id: string;
  projectId: string;
  fileName: string;
  mimeType: string;
  fileLocked: boolean;
  status: UploadStatus;
  /** `consumed` by a submission, `deleted` by a person. */
  presence: 'present' | 'consumed' | 'deleted';
  createdAt: number;
  completedAt?: number;
  fileUploadId?: string;
  latestEventId: string;
  fields: Record<string, StoredField>;
  analysis: Processing;
  scraping: Processing;
  revisionId?: string;
  /** A FILE_KEY_MISMATCH was answered, so linking another file is the right thing to do. */
  mayBeRelinked?: boolean;
  /** Event ids that a reading has told, the newest last. */
  shownEventIds?: string[];
  /** The one told last, where nothing but the service's own work on the upload has overtaken it since. */
  overtakenUnseen?: string;
  /** A WORKFLOW_CONFLICT was answered: somebody may have decided to end the workflows in the way. */
  conflictTold?: boolean;
  polled?: Polled;
}

/** The last look at an upload while its analysis ran. */
export interface Polled {
  readonly at: number;
  /** That of this moment. */
  readonly eventId: string;
  /** Number of the request. */
  readonly request: number;
  readonly isFirst: boolean;
  /** So long after COMPLETED, or after the look before. */
  readonly afterMs: number;
  /** What it came after, for people. */
  readonly after: string;
}

export interface FileSegment {
  size: number;
  sha256: string;
  md5?: string;
  /** Unquoted; present once the bytes have arrived. */
  etag?: string;
  /** The client has reported the ETag. */
  reported: boolean;
}

export interface FileUpload {
  id: string;
  companyId: string;
  /** null: created at company level. */
  projectId: string | null;
  ownerId: number;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  segments: FileSegment[];
  createdAt: number;
  linkBy: number;
  completedAt?: number;
  availableAt?: number;
  /** Of the bytes that arrived; compared with `sha256`. */
  receivedSha256?: string;
  neverAvailable?: boolean;
  linkedTo?: string;
}

export interface ContainerWorkflow {
  instanceId: string;
  revisionId: string;
  name: string;
  currentStep: string;
}

export interface DocumentContainer {
  id: string;
  projectId: string;
  matchCriteria: string;
  revisionIds: string[];
  workflow?: ContainerWorkflow;
}

export interface DocumentRevision {
  id: string;
  projectId: string;
  containerId: string;
  /** null for revisions that a person made. */
  uploadId: string | null;
  fileName: string;
  name: string;
  revision: string;
  version: number;
  sha256: string;
  sizeBytes: number;
  submittedBy: number;
  createdAt: number;
  fields: Record<string, string[]>;
  status: string;
  terminationReason?: string;
}

/** One sign-in, from which tokens descend. */
export interface Login {
  id: string;
  userId: number;
  grant: 'client_credentials' | 'authorization_code';
  revoked: boolean;
}

/** A token or code, known by its SHA-256 only: no secret is ever written. */
export interface Credential {
  /** SHA-256 (hex) of the secret. */
  id: string;
  kind: 'access' | 'refresh' | 'code';
  loginId: string;
  createdAt: number;
  expiresAt: number | null;
  state: 'valid' | 'used' | 'revoked';
  redirectUri?: string;
  /** Of a code: SHA-256 of what its exchange must carry (RFC 7636), when it was asked for with one. */
  codeChallenge?: string;
}

/** The server's own secrets and counters. */
export interface ServerMemory {
  id: 'server';
  signingKey: string;
}
