/**
 * What the stand-in remembers of timesheets. Ids count up from a number of their own,
 * so none is mistaken for another.
 */

export interface TimesheetRecord {
  id: string;
  projectId: string;
  /** YYYY-MM-DD. */
  date: string;
  /** From 1 in each project. */
  number: number;
  /** Of the day, from 1: part of the name. */
  sequence: number;
  status: 'pending' | 'approved';
  createdBy: number;
  createdAt: number;
  updatedAt: number;
}

export interface TimecardRecord {
  id: string;
  projectId: string;
  timesheetId: string;
  date: string;
  /** Decimal text. */
  hours: string;
  lunchMinutes: number | null;
  /** As sent; both or none. */
  timeIn: string | null;
  timeOut: string | null;
  billable: boolean;
  description: string;
  costCodeId: number | null;
  timeTypeId: number | null;
  partyId: number | null;
  loginId: number | null;
  originId: number | null;
  originData: string | null;
  createdBy: number;
  createdAt: number;
  updatedAt: number;
  deletedAt: number | null;
}

export interface TimecardChangeRecord {
  id: string;
  projectId: string;
  entryId: string;
  column: string;
  before: string | null;
  after: string | null;
  at: number;
  by: number;
}

export interface SignatureRecord {
  id: string;
  projectId: string;
  userId: number;
  text: string | null;
  fileName: string;
  /** Of the image's bytes. */
  sha256: string;
  sizeBytes: number;
  createdBy: number;
}
