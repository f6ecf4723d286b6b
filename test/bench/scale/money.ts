// What a fleet pays Temporal in its cloud: actions, and histories by the gigabyte and hour.
import { BATCH, batchesPerDayOf, coordinatorCostOf, type Fleet, needsOf } from './model';

export interface Prices {
  /** When they were looked up; they change, so look the present ones up before you rely on them. */
  readonly lookedUp: string;
  readonly dollarsPerMillionActions: number;
  /** Of runs that are open. */
  readonly dollarsPerActiveGigabyteHour: number;
  /** Of runs that have ended, for as long as they are kept. */
  readonly dollarsPerRetainedGigabyteHour: number;
}

/**
 * By Temporal's own page (docs.temporal.io/cloud/pricing): those of its smallest plan, at any volume. Its
 * other plans take less for an action from five million a month on, and each plan takes something itself.
 */
export const TEMPORAL_CLOUD: Prices = {
  lookedUp: '2026-11-29',
  dollarsPerMillionActions: 50,
  dollarsPerActiveGigabyteHour: 0.042,
  dollarsPerRetainedGigabyteHour: 0.001_05,
};

const DAYS = 30;
/** A coordinator ends when it has heard nothing for so long, at the most. */
const IDLE_MINUTES = 20;
const GIGABYTE = 1e9;

/** Dollars in 30 days. */
export interface Bill {
  readonly actions: number;
  readonly activeStorage: number;
  readonly retainedStorage: number;
}

/**
 * Those of waiting among the actions. Histories count with their whole length from the beginning, without
 * what Temporal may make of their bytes.
 */
export function billOf(fleet: Fleet, prices: Prices): Bill {
  const batches = DAYS * batchesPerDayOf(fleet);
  const ofCoordinator = coordinatorCostOf(fleet).historyBytes;
  const { batchesInARow, minutesOfBatch, retentionDays } = fleet;
  // Those of a row wait in one history for the last of them.
  const minutesOfCoordinator = batchesInARow * minutesOfBatch + IDLE_MINUTES;
  const activeByteHours = (BATCH.historyBytes * minutesOfBatch + ofCoordinator * minutesOfCoordinator) / 60;
  const retainedByteHours = (BATCH.historyBytes + ofCoordinator) * retentionDays * 24;
  return {
    actions: (DAYS * needsOf(fleet).billedActionsPerDay * prices.dollarsPerMillionActions) / 1e6,
    activeStorage: ((batches * activeByteHours) / GIGABYTE) * prices.dollarsPerActiveGigabyteHour,
    retainedStorage: ((batches * retainedByteHours) / GIGABYTE) * prices.dollarsPerRetainedGigabyteHour,
  };
}
