/** What the stand-in remembers of observations. Ids count up from a number of their own. */
import type { ReceivedFile } from '../http/multipart';

export interface ObservationRecord {
  id: string;
  projectId: string;
  number: string;
  /** Settable fields, under their names on the wire. */
  fields: Record<string, unknown>;
  attachments: ReceivedFile[];
  /** null while nobody was mailed. */
  notifiedAt: number | null;
  createdBy: number;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
}

export interface ResponseLogRecord {
  id: string;
  itemId: string;
  comment: string;
  status: string;
  attachments: ReceivedFile[];
  createdBy: number;
  createdAt: number;
}
